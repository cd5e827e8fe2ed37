import { ProtocolError } from '../base/errors.ts';
import type { Room, Workspace } from './store.ts';

/** About what a set takes beside its keys, in bytes. */
export const SET_OVERHEAD = 1024;

/** Room in the memory of the process for what one request builds. */
export class MemoryWorkspace implements Workspace {
  readonly scratch: Room = { reserve: (bytes) => this.#take(bytes, 0) };
  readonly #maxSetBytes: number;
  readonly #changed: (bytes: number) => void;
  #bytesOfSet = 0;
  #bytes = 0;

  /**
   * @param maxSetBytes what the set may take
   * @param changed makes room for as many bytes more, or throws where it cannot
   */
  constructor(maxSetBytes: number, changed: (bytes: number) => void) {
    this.#maxSetBytes = maxSetBytes;
    this.#changed = changed;
  }

  reserve(bytes: number): void {
    this.#take(bytes, bytes);
  }

  close(): void {
    this.#take(-this.#bytes, -this.#bytesOfSet);
  }

  #take(bytes: number, ofSet: number): void {
    if (ofSet > 0 && SET_OVERHEAD + this.#bytesOfSet + ofSet > this.#maxSetBytes) {
      throw new ProtocolError(
        'entitySetTooLarge',
        `The entity set holds more keys than fit into ${this.#maxSetBytes} bytes, which is what one may take: narrow it`,
      );
    }
    this.#changed(bytes);
    this.#bytes += bytes;
    this.#bytesOfSet += ofSet;
  }
}
