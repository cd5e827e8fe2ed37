import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { withoutLast } from '../../base/text.ts';

/** How long a password may be, in characters: longer ones are refused before they are worked on. */
const MOST = 1024;

/** How short one may be that is chosen now (https://pages.nist.gov/800-63-4/sp800-63b.html). */
const LEAST = 8;

/**
 * A password as it is hashed, whichever keyboard it was typed on: the profile OpaqueString of RFC 8265 §4.2, in which blanks of all scripts are
 * one, and a letter with an accent is one character. Null where it cannot be anybody's: empty, too long, or with characters that are none.
 */
export function preparedPassword(text: string): string | null {
  const prepared = text.replace(/\p{Zs}/gu, ' ').normalize('NFC');
  const length = Array.from(prepared).length;
  const isText = prepared.isWellFormed() && !/\p{Cc}/u.test(prepared);
  return isText && length > 0 && length <= MOST ? prepared : null;
}

/** A user's name as it is looked up: a letter with an accent is one character (RFC 8265 §3.4, whose case is kept). */
export function preparedName(text: string): string {
  return text.normalize('NFC');
}

/** What is wrong with a password that somebody chooses, or null where nothing is. */
export function newPasswordProblem(text: string): string | null {
  if (text === '') return 'the password is empty';
  const prepared = preparedPassword(text);
  if (prepared === null) {
    return `the password holds control characters, or is longer than ${MOST} characters`;
  }
  return Array.from(prepared).length < LEAST
    ? `the password has fewer than ${LEAST} characters`
    : null;
}

/** What a hash by scrypt costs (https://www.rfc-editor.org/rfc/rfc7914): 128 · r · 2^ln bytes, and p times as long as one round takes. */
export interface Cost {
  /** The logarithm of N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** The hash of a password. */
export interface PasswordHash {
  readonly cost: Cost;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** Of a text that is not a hash of a password: what is wrong with it. */
export interface WrongHash {
  readonly problem: string;
}

/** https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#scrypt: 128 MB, some 300 ms. */
export const COST: Cost = { ln: 17, r: 8, p: 1 };

/** What two hashes at once may cost the gateway: bytes of each. */
const MOST_BYTES = 256 * 1_048_576;

/** The rounds, N · r · p, of what is worth storing, and of what is worth waiting for; {@link COST} has 2^20. */
const ROUNDS = { least: 2 ** 19, most: 2 ** 22 } as const;

const SALT_BYTES = { least: 16, most: 64 } as const;
const HASH_BYTES = { least: 32, most: 64 } as const;

/** The hash of a password, by a salt of its own. */
export async function hashPassword(password: string, cost: Cost = COST): Promise<PasswordHash> {
  const salt = randomBytes(SALT_BYTES.least);
  return { cost, salt, hash: await derive(password, cost, salt, HASH_BYTES.least) };
}

/** A hash that no password has: what is checked for users that do not exist, so that they take as long as others. */
export function decoyHash(cost: Cost): PasswordHash {
  return { cost, salt: randomBytes(SALT_BYTES.least), hash: randomBytes(HASH_BYTES.least) };
}

/** Whether a password is the one of a hash. It is worked out off the event loop, and takes the hash's memory meanwhile. */
export async function isPassword(
  password: string,
  { cost, salt, hash }: PasswordHash,
): Promise<boolean> {
  return timingSafeEqual(await derive(password, cost, salt, hash.length), hash);
}

/** A hash as text, in the PHC string format (https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md). */
export function passwordHashText({ cost: { ln, r, p }, salt, hash }: PasswordHash): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** Reads a hash; what is wrong with it is told without it. */
export function readPasswordHash(text: string): PasswordHash | WrongHash {
  const [, ln = '', r = '', p = '', salt = '', hash = ''] = PHC.exec(text) ?? [];
  if (hash === '') return { problem: foreignHash(text) };
  const found = {
    cost: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
  const problem =
    costProblem(found.cost) ??
    lengthProblem('salt', found.salt, SALT_BYTES) ??
    lengthProblem('hash', found.hash, HASH_BYTES);
  return problem === null ? found : { problem };
}

const PHC =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z\d+/]{1,200})\$([A-Za-z\d+/]{1,200})$/;

function costProblem({ ln, r, p }: Cost): string | null {
  const rounds = 2 ** ln * r * p;
  if (rounds < ROUNDS.least) {
    return 'is a hash that is guessed too quickly: expected ln=17,r=8,p=1, or as much work';
  }
  if (rounds > ROUNDS.most || 128 * r * 2 ** ln > MOST_BYTES) {
    return 'is a hash that takes more than 256 MB, or more than four times as long as ln=17,r=8,p=1';
  }
  // https://www.rfc-editor.org/rfc/rfc7914#section-6
  return ln >= 16 * r ? 'is a hash by numbers that scrypt does not take' : null;
}

function lengthProblem(
  what: string,
  { length }: Uint8Array,
  { least, most }: { readonly least: number; readonly most: number },
): string | null {
  return length < least || length > most
    ? `has a ${what} of ${length} bytes: expected ${least} to ${most}`
    : null;
}

/** The commonest mistakes are the password itself, and a hash from elsewhere. */
function foreignHash(text: string): string {
  const advice = 'make the entry with entitygate user';
  const [, kind] =
    /^\$(2[abxy]?|argon2(?:id|i|d)|[156y]|apr1|pbkdf2[\w-]*|scrypt)\$/.exec(text) ?? [];
  if (kind === undefined) return `is not a hash of a password: ${advice}`;
  if (kind === 'scrypt') return `is not a hash by scrypt that can be read: ${advice}`;
  return `is a hash of another kind, and only those by scrypt are taken: ${advice}`;
}

function derive(
  password: string,
  { ln, r, p }: Cost,
  salt: Uint8Array,
  length: number,
): Promise<Buffer> {
  const N = 2 ** ln;
  // Node's own limit is 32 MB; what it counts is a little more than the 128 · N · r of the definition.
  const options = { N, r, p, maxmem: 2 * 128 * r * (N + p) };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, derived) => {
      if (error === null) resolve(derived);
      else reject(error);
    });
  });
}

function unpadded(bytes: Uint8Array): string {
  return withoutLast(Buffer.from(bytes).toString('base64'), '=');
}
