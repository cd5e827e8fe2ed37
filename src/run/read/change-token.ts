import { hash } from 'node:crypto';
import { z } from 'zod';
import { ProtocolError } from '../../base/errors.ts';
import type { ChangesPlan } from '../../plan/read/changes.ts';
import type { ColumnType } from '../../schema/types.ts';
import { canonicalText } from '../convert/bind.ts';
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

/** Writes a token as one word. */
export function tokenText(token: ChangeToken): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** Reads a token. @throws ProtocolError badToken */
export function readToken(given: string): ChangeToken {
  try {
    return changeToken.parse(JSON.parse(Buffer.from(given, 'base64url').toString()));
  } catch {
    throw notAToken();
  }
}

/** Reads the tokens of a stream, by their dataclasses. @throws ProtocolError badToken */
export function readStreamTokens(given: string): Readonly<Record<string, ChangeToken>> {
  try {
    const text = Buffer.from(given, 'base64url').toString();
    return z.record(z.string(), changeToken.omit({ round: true })).parse(JSON.parse(text));
  } catch {
    throw notAToken();
  }
}

function notAToken(): ProtocolError {
  const message =
    'The value of since is not a token: expected the __TOKEN of an earlier answer, or no since for all entities';
  return new ProtocolError('badToken', message, { within: 'since', position: 1 });
}

/** What a token is about, as a short digest. */
export function tokenSubject(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}

/** How far changes are complete, and in which database. */
export interface VersionBound {
  readonly version: string;
  readonly database: string;
  /** The first version of which all later changes are still known; null where all are. */
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
  const versions = [round?.since ?? until, until];
  const behind = round?.behind ?? [];
  const key = plan.entities.dataclass.key;
  const isKey = behind.length === 0 || behind.length === key.length;
  const isPlain = behind.every((part, index) => isValue(part, key[index]?.columnType));
  const pattern = source.kind === 'timestamp' ? /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ : /^\d{1,19}$/;
  if (!isKey || !isPlain || !versions.every((version) => pattern.test(version))) throw notAToken();
  if (source.kind !== 'timestamp') {
    const [since = 0n, now = 0n] = [versions[0], bound.version].map((version) =>
      BigInt(version ?? 0),
    );
    if (since > now) throw outdated('the database was restored');
    if (bound.oldest !== null && since < BigInt(bound.oldest)) {
      throw outdated('the database does not know changes for so long (CHANGE_RETENTION)');
    }
    if (source.kind === 'xmin' && now - since >= MOST_TRANSACTIONS) {
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

function isValue(part: string, type: ColumnType | undefined): boolean {
  try {
    if (type === undefined) return false;
    canonicalText(part, type);
    return true;
  } catch (error) {
    if (error instanceof ConversionError) return false;
    throw error;
  }
}

/** A token that cannot tell all changes any more. @param why the reason */
export function outdated(why: string): ProtocolError {
  const message = `The token can no longer be used: ${why}. Read all entities again, without since.`;
  return new ProtocolError('tokenOutdated', message);
}
