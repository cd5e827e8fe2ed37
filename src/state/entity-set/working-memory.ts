import { ProtocolError } from '../../base/errors.ts';
import type { Workspace } from './store.ts';

/** About how many bytes a set takes besides its keys. */
export const SET_OVERHEAD = 1024;

export interface EntitySetBounds {
  /** How many bytes all stored sets may take, and as many again those that are being built. */
  readonly maxBytes: number;
  /** How many bytes one set may take; at most {@link maxBytes}. */
  readonly maxSetBytes: number;
  readonly maxPerOwner: number;
}

/** The memory in which requests of this process build sets. It is bounded apart from that of stored sets: to read one must not remove others. */
export class WorkingMemory {
  readonly #bounds: EntitySetBounds;
  #bytes = 0;

  constructor(bounds: EntitySetBounds) {
    this.#bounds = bounds;
  }

  /** Opens the part of one request. */
  workspace(): Workspace {
    const { maxBytes, maxSetBytes } = this.#bounds;
    let bytes = 0;
    let bytesOfSet = 0;
    const take = (more: number, ofSet: number): void => {
      if (ofSet > 0 && SET_OVERHEAD + bytesOfSet + ofSet > maxSetBytes) {
        const message = `The entity set holds more keys than fit into ${maxSetBytes} bytes, which is what one may take: narrow it.`;
        throw new ProtocolError('entitySetTooLarge', message);
      }
      if (more > 0 && bytes + more > maxBytes) {
        const message = `To work on so many keys takes more than ${maxBytes} bytes, which is what all entity sets may take: narrow them.`;
        throw new ProtocolError('entitySetTooLarge', message);
      }
      if (more > 0 && this.#bytes + more > maxBytes) throw ProtocolError.of('entitySetsBusy');
      this.#bytes += more;
      bytes += more;
      bytesOfSet += ofSet;
    };
    return {
      scratch: { reserve: (more) => take(more, 0) },
      reserve: (more) => take(more, more),
      close: () => take(-bytes, -bytesOfSet),
    };
  }
}
