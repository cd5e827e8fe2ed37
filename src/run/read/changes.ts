import { ProtocolError } from '../../base/errors.ts';
import type { Row } from '../../database/database.ts';
import type { ChangesPlan, KeysPlan } from '../../plan/read/changes.ts';
import type { Literal } from '../../protocol/ast.ts';
import { cellText, type Execution, readingFrom, type StatementSource } from '../run.ts';
import { type ChangeToken, checkToken, keyOf, type VersionBound } from './change-token.ts';
import { lastRowOf, readSlice, type Slice, SliceSize, withNumber } from './slices.ts';
import { parameterNumber } from './read.ts';

/** A page of changes. */
export interface ChangesPage {
  /** The keys of entities that were deleted or do not meet the filter: rows, with the plans that read them. */
  readonly removed: readonly FoundKeys[];
  /** Entities that are new or have changed. */
  readonly slices: readonly Slice[];
  /** Where the next page begins, or the next round. */
  readonly token: ChangeToken;
}

interface FoundKeys {
  readonly plan: KeysPlan;
  readonly rows: readonly Row[];
}

type Round = NonNullable<ChangeToken['round']>;

interface ChangesInput extends Pick<Execution, 'database' | 'activity'> {
  readonly values: readonly Literal[];
  /** Null for all entities. */
  readonly token: ChangeToken | null;
  /** What the next token is about. */
  readonly subject: string;
  /** How far changes are complete; left out where it is to be read. */
  readonly bound?: VersionBound;
}

/**
 * Reads a page of what has changed since a token. A round reads the changes of one period, page by page: first the keys to remove, as one of them may
 * be new again. A row that changes meanwhile is of the next period.
 * @param encoded whether entities are wanted as they came
 * @throws ProtocolError badToken, tokenOutdated, badNumber
 */
export async function readChanges(
  plan: ChangesPlan,
  input: ChangesInput,
  encoded: boolean,
): Promise<ChangesPage> {
  // A replica that lags would tell changes too early, or never.
  const source = readingFrom(input, { encoded, fresh: true });
  const page = await readPage(plan, input, source);
  const { token, subject } = input;
  const hasRead = page.removed.length > 0 || page.slices.length > 0;
  if (hasRead && plan.changes.source.kind !== 'rowversion') {
    // Nothing is told that a crash may still take back, and the engine may have forgotten some of the changes while they were read.
    const bound = await readBound(plan, source);
    if (token !== null) checkToken(token, { plan, subject, bound });
  }
  return page;
}

async function readPage(
  plan: ChangesPlan,
  { values, token, subject, bound: known }: ChangesInput,
  source: StatementSource,
): Promise<ChangesPage> {
  const { top } = plan.entities;
  let left = parameterNumber(top, values);
  if (left === 0)
    throw new ProtocolError('badNumber', 'A page of changes has at least one entity.');
  const bound = known ?? (await readBound(plan, source));
  if (token !== null) checkToken(token, { plan, subject, bound });
  const { round, ...covered } = roundOf(token, bound, plan);
  const { since } = round;
  const next = { of: subject, database: bound.database, ...covered };
  const [removed, slices]: [FoundKeys[], Slice[]] = [[], []];
  if (since === covered.until) return { removed, slices, token: next };
  const isNumber = plan.changes.source.kind !== 'timestamp';
  const before = isNumber && since !== null ? String(BigInt(since) - 1n) : '';
  const period = { since: since ?? '', until: covered.until, before };
  const size = new SliceSize();
  for (const part of partsFrom(round, plan)) {
    const keys = part === 'entities' ? null : plan[part];
    const { order, statements } = keys?.pages ?? plan.pages;
    const readers = keys?.readers ?? plan.entities.fetch.readers;
    const given = part === round.part ? round.behind : null;
    const behind =
      given && keyOf(given, (keys ?? plan.entities).dataclass.key, source.dialect.limits);
    const choice = { isOfPeriod: since !== null, isBehind: behind !== null };
    for (const statement of statements(choice)) {
      const { length, most, last } = await size.read(left, async (some) => {
        const inputs = { period, lastRow: behind ?? [], values: withNumber(values, top, some) };
        if (keys !== null) {
          const rows = await source.run(statement, inputs);
          removed.push({ plan: keys, rows });
          return { length: rows.length, most: some, last: rows.at(-1) ?? null };
        }
        const { slice, length: found } = await readSlice(plan.entities, statement, inputs, source);
        slices.push(slice);
        return { length: found, most: some, last: found < some ? null : lastRowOf(slice) };
      });
      left -= length;
      if (length === most && last !== null) {
        const key = order.map((column) => cellText({ readers }, last, column) ?? '');
        return { removed, slices, token: { ...next, round: { since, part, behind: key } } };
      }
    }
  }
  return { removed, slices, token: next };
}

/** Reads how far the changes of a plan are complete. */
export async function readBound(
  { bound, changes: { source: kept } }: ChangesPlan,
  source: StatementSource,
): Promise<VersionBound> {
  const [row = []] = await source.run(bound, {});
  const [version = '', database = ''] = [0, 1].map((column) => cellText(bound, row, column) ?? '');
  const oldest = cellText(bound, row, 2);
  if (kept.kind !== 'timestamp') return { version, database, oldest };
  const complete = new Date(Date.parse(`${version}Z`) - kept.marginSeconds * 1000);
  return { version: complete.toISOString(), database, oldest };
}

/** The round that a token is in, or the next one. */
function roundOf(
  token: ChangeToken | null,
  { version }: VersionBound,
  { changes }: ChangesPlan,
): Pick<ChangeToken, 'at' | 'until'> & { readonly round: Round } {
  if (token?.round !== undefined) return { round: token.round, until: token.until, at: token.at };
  const since = token?.until ?? null;
  const round: Round = { since, part: since === null ? 'entities' : 'deleted', behind: null };
  // The database's clock may have been set back.
  const isBack = changes.source.kind === 'timestamp' && since !== null && since > version;
  return { round, until: isBack ? since : version, at: Date.now() };
}

const PARTS: readonly Round['part'][] = ['deleted', 'unmet', 'entities'];

/** The parts of a round that are still to be read. */
function partsFrom({ part }: Round, plan: ChangesPlan): Round['part'][] {
  return PARTS.slice(PARTS.indexOf(part)).filter((one) => one === 'entities' || plan[one] !== null);
}
