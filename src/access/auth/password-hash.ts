import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { withoutLast } from '../../base/text.ts';

/** The longest password, in characters; longer ones are refused before they are hashed. */
const MAX_LENGTH = 1024;

/** The shortest new password (https://pages.nist.gov/800-63-4/sp800-63b.html). */
const MIN_LENGTH = 8;

/** Normalizes a password (RFC 8265 §4.2), so that the keyboard does not matter; null where it is empty, too long, or has control characters. */
export function preparedPassword(text: string): string | null {
  const prepared = text.replace(/\p{Zs}/gu, ' ').normalize('NFC');
  const length = Array.from(prepared).length;
  const isText = prepared.isWellFormed() && !/\p{Cc}/u.test(prepared);
  return isText && length > 0 && length <= MAX_LENGTH ? prepared : null;
}

/** Normalizes a user's name (RFC 8265 §3.4, which keeps the case). */
export function preparedName(text: string): string {
  return text.normalize('NFC');
}

/** What is wrong with a new password, or null. */
export function newPasswordProblem(text: string): string | null {
  if (text === '') return 'the password is empty';
  const prepared = preparedPassword(text);
  if (prepared === null) {
    return `the password holds control characters, or is longer than ${MAX_LENGTH} characters`;
  }
  return Array.from(prepared).length < MIN_LENGTH
    ? `the password has fewer than ${MIN_LENGTH} characters`
    : null;
}

/** The parameters of scrypt (https://www.rfc-editor.org/rfc/rfc7914): it takes 128 · r · 2^ln bytes, and p rounds. */
export interface Cost {
  /** The logarithm of N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

export interface PasswordHash {
  readonly cost: Cost;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#scrypt: 128 MB, some 300 ms. */
export const COST: Cost = { ln: 17, r: 8, p: 1 };

/** The most memory of one hash, in bytes; two are made at once. */
const MAX_BYTES = 256 * 1_048_576;

/** The accepted work, N · r · p; that of {@link COST} is 2^20. */
const ROUNDS = { min: 2 ** 19, max: 2 ** 22 } as const;

const SALT_BYTES = { min: 16, max: 64 } as const;
const HASH_BYTES = { min: 32, max: 64 } as const;

/** Hashes a password with a new salt. */
export async function hashPassword(password: string, cost: Cost = COST): Promise<PasswordHash> {
  const salt = randomBytes(SALT_BYTES.min);
  return { cost, salt, hash: await derive(password, cost, salt, HASH_BYTES.min) };
}

/** Makes a hash that no password has, to be checked for unknown users, so that they take as long as known ones. */
export function decoyHash(cost: Cost): PasswordHash {
  return { cost, salt: randomBytes(SALT_BYTES.min), hash: randomBytes(HASH_BYTES.min) };
}

/** Whether a password has this hash. It is hashed off the event loop. */
export async function isPassword(
  password: string,
  { cost, salt, hash }: PasswordHash,
): Promise<boolean> {
  return timingSafeEqual(await derive(password, cost, salt, hash.length), hash);
}

/** Writes a hash in the PHC string format (https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md). */
export function passwordHashText({ cost: { ln, r, p }, salt, hash }: PasswordHash): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(hash)}`;
}

const PHC =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z\d+/]{1,200})\$([A-Za-z\d+/]{1,200})$/;

/** Reads a hash in the PHC string format; the problem with one that is not accepted does not repeat it. */
export function readPasswordHash(text: string): PasswordHash | { readonly problem: string } {
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

function costProblem({ ln, r, p }: Cost): string | null {
  const rounds = 2 ** ln * r * p;
  if (rounds < ROUNDS.min) {
    return 'is a hash that is guessed too quickly: expected ln=17,r=8,p=1, or as much work';
  }
  if (rounds > ROUNDS.max || 128 * r * 2 ** ln > MAX_BYTES) {
    return 'is a hash that takes more than 256 MB, or more than four times as long as ln=17,r=8,p=1';
  }
  // https://www.rfc-editor.org/rfc/rfc7914#section-6
  return ln >= 16 * r ? 'is a hash by numbers that scrypt does not take' : null;
}

function lengthProblem(
  what: string,
  { length }: Uint8Array,
  { min, max }: { readonly min: number; readonly max: number },
): string | null {
  return length < min || length > max
    ? `has a ${what} of ${length} bytes: expected ${min} to ${max}`
    : null;
}

/** The commonest mistakes are the password itself, and a hash of another kind. */
function foreignHash(text: string): string {
  const advice = 'make the entry with entitygate user';
  const [, kind] =
    /^\$(2[abxy]?|argon2(?:id|i|d)|[156y]|apr1|pbkdf2[\w-]*|scrypt)\$/.exec(text) ?? [];
  if (kind === undefined) return `is not a hash of a password: ${advice}`;
  if (kind === 'scrypt') return `is not a hash by scrypt that can be read: ${advice}`;
  return `is a hash of another kind, and only those by scrypt are taken: ${advice}`;
}

const scryptAsync = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

function derive(
  password: string,
  { ln, r, p }: Cost,
  salt: Uint8Array,
  length: number,
): Promise<Buffer> {
  const N = 2 ** ln;
  // Node's own limit is 32 MB; it counts a little more than the 128 · N · r of the definition.
  return scryptAsync(password, salt, length, { N, r, p, maxmem: 2 * 128 * r * (N + p) });
}

function unpadded(bytes: Uint8Array): string {
  return withoutLast(Buffer.from(bytes).toString('base64'), '=');
}
