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
