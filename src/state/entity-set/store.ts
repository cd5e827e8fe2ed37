import type { KeyList } from './keys.ts';
import { keyedHash, type KeyedHash, randomId } from '../../base/hashes.ts';

/** What of an id nobody can guess, in bytes; twice as many digits. */
const RANDOM_BYTES = 16;

/** The digits of a keyed hash of 53 bits. */
const CHECK_DIGITS = 14;

/** What looks as an id does, somewhere in a text. */
export const SET_ID = new RegExp(`[0-9A-F]{${2 * RANDOM_BYTES + CHECK_DIGITS}}`);

/**
 * The ids of entity sets: 32 random hexadecimal digits, in upper case, and 14 of a keyed hash of them and of the dataclass. All who have
 * the key know such an id as one that was given out for that dataclass, though its set is gone, and nobody else can make one up.
 */
export class SetIds {
  readonly #hash: KeyedHash;
  readonly #newDigits: () => string;

  /**
   * @param key the same for all who shall know each other's ids; no client may have it
   * @param newDigits makes the random digits
   */
  constructor(key: string, newDigits: () => string = randomId) {
    this.#hash = keyedHash(key);
    this.#newDigits = newDigits;
  }

  /** @param dataclass the name of the dataclass whose set it is for */
  make(dataclass: string): string {
    return this.#checked(this.#newDigits(), dataclass);
  }

  /** Whether an id was made with the key, for a dataclass. */
  isOwn(id: string, dataclass: string): boolean {
    return id === this.#checked(id.slice(0, 2 * RANDOM_BYTES), dataclass);
  }

  #checked(random: string, dataclass: string): string {
    const check = this.#hash(`${random} ${dataclass}`).toString(16).toUpperCase();
    return `${random}${check.padStart(CHECK_DIGITS, '0')}`;
  }
}

/** A selection of entities that is kept for a client (§2.3): their keys in order. */
export interface EntitySet {
  /** The dataclass of its entities, by name. */
  readonly dataclass: string;
  readonly keys: KeyList;
  /** Who may read it: equal for requests that may see the same. */
  readonly audience: string;
  /** Whose it is, for the bound on how many one client may keep. */
  readonly owner: string;
  /** How long it is kept after it was accessed last, in seconds. */
  readonly lifetime: number;
  /** Whether it was made in an order that was asked for. */
  readonly isSorted: boolean;
}

/** Where entity sets are kept (§3.1). What is released, has expired or had to make room is forgotten wholly. */
export interface EntitySetStore {
  /** The set, whose lifetime begins anew; null where there is none, or not any more, or none for this audience. */
  find(id: string, audience: string): Promise<EntitySet | null>;
  /** @returns its id: upper-case hexadecimal digits, which nobody can guess */
  add(set: EntitySet): Promise<string>;
  /** Whether an id is one that this store, or one of another instance of the same API, gave a set of a dataclass, which may be gone. */
  gaveOut(id: string, dataclass: string): boolean;
  /** Keeps a set under an id that was given out for its dataclass. */
  restore(id: string, set: EntitySet): Promise<void>;
  /** @returns false where there is none for this audience */
  release(id: string, audience: string): Promise<boolean>;
  /** Sets of an owner count as nobody's from now on; they stay for whoever knows their ids. */
  giveUp(owner: string): void;
  /** All sets that are kept; none of them lives any longer for it. */
  list(): Iterable<ListedSet>;
  usage(): StoreUsage;
  /** Room for what one request builds. It counts against the bounds until it is closed. */
  workspace(): Workspace;
}

/** A set that is kept, as it is told of. */
export interface ListedSet {
  readonly id: string;
  readonly set: EntitySet;
  /** When it will be forgotten, in milliseconds by the clock. */
  readonly end: number;
}

/** How much all sets take that are kept, in bytes. */
export interface StoreUsage {
  readonly bytes: number;
  readonly maxBytes: number;
}

/** Where room is reserved for keys. */
export interface Room {
  /**
   * @param bytes how many more are needed now; less, where it is negative
   * @throws ProtocolError entitySetTooLarge: one set may not take as many; entitySetsBusy: other sets that are being built take them
   */
  reserve(bytes: number): void;
}

/** Room for what one request builds. */
export interface Workspace extends Room {
  /** Room for what is needed only while a set is being built. It does not count as the set's own. */
  readonly scratch: Room;
  /** Gives back all that is still reserved. */
  close(): void;
}
