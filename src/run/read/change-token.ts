import { hash } from 'node:crypto';
import { z } from 'zod';
import { catching, ProtocolError } from '../../base/errors.ts';
import type { ChangesPlan } from '../../plan/read/changes.ts';
import { zip } from '../../base/collections.ts';
import type { StorageAttribute } from '../../model/types.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { canonicalText, isOnStep } from '../convert/bind.ts';
import { ConversionError } from '../convert/conversion-error.ts';

const text = z.string();

/**
 * How far a reader of changes has come. Clients give it back as they got it; they may read no more by a forged one than by any other request.
 */
const changeToken = z.strictObject({
  /** A digest of what it is about: the dataclass, the filter, and what the user sees. */
  of: text,
  /** Tells the database from others, as a `versionBound` has it. */
  database: text,
  /** When {@link until} was read, in milliseconds since 1970. */
  at: z.int(),
  /** The version before which everything is read, or will be when all pages of this round are. */
  until: text,
  /** The round whose pages are being read; left out where all are. */
  round: z
    .strictObject({
      /** The version from which on changes are read; null where all entities are. */
      since: text.nullable(),
      part: z.enum(['deleted', 'unmet', 'entities']),
      /** The key behind which the next page begins; null for the first. */
      behind: z.array(text).nullable(),
    })
    .exactOptional(),
});

export type ChangeToken = z.output<typeof changeToken>;

/** The tokens of a stream, by dataclass. */
export type StreamTokens = Readonly<Record<string, ChangeToken>>;

/** Writes a token, or those of a stream, as one word. */
export function tokenText(token: ChangeToken | StreamTokens): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** Reads a token. @throws ProtocolError badToken */
export function readToken(given: string): ChangeToken {
  const token = decoded(given, changeToken);
  if (token === null) throw notAToken();
  return token;
}

const streamTokens = z.record(z.string(), changeToken.omit({ round: true }));

/** Reads the tokens of a stream. @throws ProtocolError badToken */
export function readStreamTokens(given: string): StreamTokens {
  const tokens = decoded(given, streamTokens);
  if (tokens !== null) return tokens;
  const message =
    'Expected the id of an event of a stream, in Last-Event-ID or since, or none to begin with what changes from now on.';
  throw new ProtocolError('badToken', message);
}

/** What a word stands for; null where it is none that the gateway writes. */
function decoded<Schema extends z.ZodType>(given: string, schema: Schema): z.output<Schema> | null {
  try {
    return schema.parse(JSON.parse(Buffer.from(given, 'base64url').toString()));
  } catch {
    return null;
  }
}

/** The error for what is not a token, or not one that the gateway wrote. */
export function notAToken(): ProtocolError {
  const message =
    'The value of since is not a token: expected the __TOKEN of an earlier answer, or no since for all entities';
  return new ProtocolError('badToken', message, { within: 'since', position: 1 });
}

/** Digests what a token is about: tokens of another subject are refused. */
export function tokenSubject(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}

/** How far changes are complete, and in which database. */
export interface VersionBound {
  readonly version: string;
  readonly database: string;
  /** The oldest version from which on the engine still knows all changes; null where it forgets none. */
  readonly oldest: string | null;
}

interface TokenCheck {
  readonly plan: ChangesPlan;
  readonly subject: string;
  readonly bound: VersionBound;
}

/** How many transactions of PostgreSQL apart two have the same last 32 bits. */
const MOST_TRANSACTIONS = 2n ** 32n;

const DAY = 86_400_000;

/** Checks that all changes since a token can be told. @throws ProtocolError badToken for one that was never given, tokenOutdated */
export function checkToken(token: ChangeToken, { plan, subject, bound }: TokenCheck): void {
  if (token.of !== subject) {
    throw outdated('it was made for another dataclass, $filter, user or configuration');
  }
  if (token.database !== bound.database) {
    throw outdated('the database is another one, or was restored');
  }
  const { source, deleted } = plan.changes;
  const { until, round } = token;
  const since = round?.since ?? until;
  const isVersion = (text: string): boolean =>
    source.kind === 'timestamp' ? isTime(text, source.column.type) : isNumber(text);
  if (!isVersion(since) || !isVersion(until)) throw notAToken();
  if (source.kind !== 'timestamp') {
    const [from, to, now] = [BigInt(since), BigInt(until), BigInt(bound.version)];
    if (from > now || to > now) throw outdated('the database was restored');
    if (bound.oldest !== null && from < BigInt(bound.oldest)) {
      throw outdated('the database does not know changes for so long (CHANGE_RETENTION)');
    }
    if (source.kind === 'xmin' && now - from >= MOST_TRANSACTIONS) {
      throw outdated('the database has run four billion transactions since');
    }
  }
  const keptDays = deleted?.keptDays ?? null;
  if (keptDays !== null && Date.now() - token.at > keptDays * DAY) {
    throw outdated(
      `it is older than ${keptDays} days, and deleted entities are not known for longer`,
    );
  }
}

/** Reads the key at which a page ended, as canonical text. @throws ProtocolError badToken for what is no key */
export function keyOf(
  behind: readonly string[],
  key: readonly Pick<StorageAttribute, 'columnType'>[],
  limits: ValueLimits,
): string[] {
  if (behind.length !== key.length) throw notAToken();
  return zip(behind, key).map(([part, { columnType }]) => {
    const text = valueText(part, columnType, limits);
    if (text === null || !isOnStep(text, columnType)) throw notAToken();
    return text;
  });
}

/** A value as canonical text; null for what is beyond the type. */
function valueText(text: string, type: ColumnType, limits?: ValueLimits): string | null {
  const read = (): string => canonicalText(text, type, limits);
  return catching(ConversionError, read, () => null);
}

function isNumber(text: string): boolean {
  return /^\d{1,19}$/.test(text) && BigInt(text) < 2n ** 63n;
}

function isTime(text: string, type: ColumnType): boolean {
  const time = Date.parse(text);
  const isWritten = !Number.isNaN(time) && new Date(time).toISOString() === text;
  return isWritten && valueText(text, type) !== null;
}

/** The error of a token that can no longer tell all changes. @param why the reason */
export function outdated(why: string): ProtocolError {
  const message = `The token can no longer be used: ${why}. Read all entities again, without since.`;
  return new ProtocolError('tokenOutdated', message);
}
