import { ProtocolError } from '../../base/errors.ts';
import type { Room, Workspace } from './store.ts';

/** About what a set takes beside its keys, in bytes. */
export const SET_OVERHEAD = 1024;

/** Room in the memory of the process for what one request builds. */
export class MemoryWorkspace implements Workspace {
  readonly scratch: Room = { reserve: (bytes) => this.#take(bytes, 0) };
  readonly #bounds: { readonly maxBytes: number; readonly maxSetBytes: number };
  readonly #changed: (bytes: number) => void;
  #bytesOfSet = 0;
  #bytes = 0;

  /**
   * @param bounds what all of it may take, and what of it the set, in bytes
   * @param changed has as many bytes more taken, or throws where it cannot
   */
  constructor(
    bounds: { readonly maxBytes: number; readonly maxSetBytes: number },
    changed: (bytes: number) => void,
  ) {
    this.#bounds = bounds;
    this.#changed = changed;
  }

  reserve(bytes: number): void {
    this.#take(bytes, bytes);
  }

  close(): void {
    this.#take(-this.#bytes, -this.#bytesOfSet);
  }

  #take(bytes: number, ofSet: number): void {
    const { maxBytes, maxSetBytes } = this.#bounds;
    if (ofSet > 0 && SET_OVERHEAD + this.#bytesOfSet + ofSet > maxSetBytes) {
      throw new ProtocolError(
        'entitySetTooLarge',
        `The entity set holds more keys than fit into ${maxSetBytes} bytes, which is what one may take: narrow it.`,
      );
    }
    if (bytes > 0 && this.#bytes + bytes > maxBytes) {
      throw new ProtocolError(
        'entitySetTooLarge',
        `To work on so many keys takes more than ${maxBytes} bytes, which is what all entity sets may take: narrow them.`,
      );
    }
    this.#changed(bytes);
    this.#bytes += bytes;
    this.#bytesOfSet += ofSet;
  }
}
