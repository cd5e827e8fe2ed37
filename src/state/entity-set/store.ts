import type { Awaitable } from '../../base/time.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { KeyList, Room, StoredKeys } from './keys.ts';
import { keyedHash, type KeyedHash, randomId } from '../../base/hashes.ts';

const RANDOM_BYTES = 16;

/** The digits of a keyed hash of 53 bits. */
const CHECK_DIGITS = 14;

/**
 * The ids of entity sets: 32 random hexadecimal digits and 14 of a keyed hash of them and of the dataclass, all in upper case. The hash tells that an id
 * was made for a dataclass, even when its set is gone, and nobody without the key can make one.
 */
export class SetIds {
  readonly #hash: KeyedHash;
  readonly #newDigits: () => string;

  /** @param key shared by all instances that accept each other's ids, and secret @param newDigits makes the random digits */
  constructor(key: string, newDigits: () => string = randomId) {
    this.#hash = keyedHash(key);
    this.#newDigits = newDigits;
  }

  make(dataclass: string): string {
    return this.#checked(this.#newDigits(), dataclass);
  }

  /** Whether an id was made with the key for a dataclass. */
  isOwn(id: string, dataclass: string): boolean {
    return id === this.#checked(id.slice(0, 2 * RANDOM_BYTES), dataclass);
  }

  #checked(random: string, dataclass: string): string {
    const check = this.#hash(`${random} ${dataclass}`).toString(16).toUpperCase();
    return `${random}${check.padStart(CHECK_DIGITS, '0')}`;
  }
}

/** A stored selection of entities (§2.3), without their keys. */
export interface SetHead {
  readonly dataclass: string;
  /** What the dataclass was when the set was made. A set of one that has changed since is not found. */
  readonly definition: string;
  /** Who may read it: equal for requests that may see the same data. */
  readonly audience: string;
  /** The client for the limit on sets per client. */
  readonly owner: string;
  /** How long it is kept after the last access, in seconds. */
  readonly lifetime: number;
  /** Whether the request for it had an order. */
  readonly isSorted: boolean;
}

/** A set to store: the keys of its entities in order. */
export interface EntitySet extends SetHead {
  readonly keys: KeyList;
}

/** A set that is stored. */
export interface FoundSet extends SetHead {
  readonly keys: StoredKeys;
}

export interface ListedSet {
  readonly id: string;
  readonly set: SetHead;
  /** How many keys it has. */
  readonly size: number;
  /** In milliseconds by the clock. */
  readonly expiresAt: number;
}

/** What is kept now, and what was dropped since the beginning: to make room, or after its lifetime. */
export interface StoredFigures {
  readonly count: number;
  readonly bytes: number;
  readonly evicted: number;
  readonly expired: number;
}

export interface Workspace extends Room {
  /** Memory needed only while a set is built; it does not count against the limit of one set. */
  readonly scratch: Room;
  readonly close: () => void;
}

/** About how many bytes a set takes besides its keys. */
export const SET_OVERHEAD = 1024;

export interface EntitySetBounds {
  /** How many bytes all stored sets may take, and as many again those that are being built. */
  readonly maxBytes: number;
  /** How many bytes one set may take; at most {@link maxBytes}. */
  readonly maxSetBytes: number;
  readonly maxPerOwner: number;
}

/** Keeps entity sets (§3.1). */
export abstract class EntitySetStore {
  readonly bounds: EntitySetBounds;
  readonly #ids: SetIds;
  /** What requests of this process build sets in. It is bounded apart from what is stored: to read one must not remove others. */
  #bytes = 0;

  constructor(bounds: EntitySetBounds, ids: SetIds) {
    this.bounds = bounds;
    this.#ids = ids;
  }

  /** Finds a set and renews its lifetime; null where there is none (any more) for this audience. */
  abstract find(id: string, audience: string): Awaitable<FoundSet | null>;
  /** Keeps a set under an id that was made for its dataclass. */
  abstract restore(id: string, set: EntitySet): Awaitable<void>;
  /** Removes a set. @returns false where there is none for this audience */
  abstract release(id: string, audience: string): Awaitable<boolean>;
  /** Lists all sets, or those of an owner; this renews no lifetime. */
  abstract list(owner?: string): Awaitable<Iterable<ListedSet>>;
  /** Takes an owner's sets from the owner's limit; they stay for clients that know their ids. */
  abstract disown(owner: string): Awaitable<void>;
  abstract figures(): Awaitable<StoredFigures>;

  /** @returns its unguessable id: upper-case hexadecimal digits */
  async add(set: EntitySet): Promise<string> {
    const id = this.#ids.make(set.dataclass);
    await this.restore(id, set);
    return id;
  }

  /** Whether an instance of this API made the id for a set of a dataclass, which may be gone. */
  gaveOut(id: string, dataclass: string): boolean {
    return this.#ids.isOwn(id, dataclass);
  }

  /** Memory for what one request builds; it counts against the limits until it is closed. */
  workspace(): Workspace {
    const { maxBytes, maxSetBytes } = this.bounds;
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
