import type { Text } from '../base/text.ts';
import { TimeSlice } from '../base/time-slice.ts';
import type { Claims, Principal } from '../base/principal.ts';
import type { Command, Connection, Database, Row } from '../database/database.ts';
import type { WriteLocks } from '../state/lock/entity-locks.ts';
import type { Model } from '../model/types.ts';
import type { Activity } from '../base/observe/observer.ts';
import type { Literal } from '../protocol/ast.ts';
import type { BoundValue, Dialect, Statement } from '../sql/dialect.ts';
import { offsetNow } from '../sql/local-time.ts';
import {
  bindKeys,
  bindParameter,
  findOutOfRange,
  type GivenValues,
  listBinder,
} from './convert/bind.ts';
import type { FoundRows } from './read/size.ts';
import { retryingDeadlocks } from './retry.ts';
import { areLong, cellInput, longRowsText, rowsText, type InputRow } from './rows-text.ts';
import type { CountBatcher } from './batch/count-batcher.ts';
import type { LookupBatcher } from './batch/lookup-batcher.ts';

/** What a request is carried out with, and on whose behalf. */
export interface Execution {
  readonly database: Database;
  readonly model: Model;
  readonly activity: Activity;
  /** Null where entities are not locked. */
  readonly locks: WriteLocks | null;
  /** What runs one statement for several requests; left out where each runs its own. */
  readonly lookups?: LookupBatcher;
  /** Whether reads have to see what this request has committed; left out where it has committed nothing. */
  readonly fresh?: boolean;
}

/** What the statements of one request run on: the database, or a transaction on it. */
export interface StatementSource {
  readonly dialect: Dialect;
  /** Runs a printed statement, its parameters filled in. */
  readonly run: (statement: Statement, inputs: Inputs) => Promise<readonly Row[]>;
  /** The same, with the rows as they came where they can be had so; left out where nobody takes them so. */
  readonly runEncoded?: (statement: Statement, inputs: Inputs) => Promise<FoundRows>;
  /** A count that may be shared with others who ask for the same; left out where each is the request's own. */
  readonly counting?: (statement: Statement, inputs: Inputs) => Counting;
}

/** A count that may be needed. */
export interface Counting {
  /** Runs it once, or joins others who wait for the same. */
  readonly run: () => Promise<number>;
  /** Whether it had better begin now: a collection was longer than this when it was counted last, which was before it was asked for, and a connection is free. */
  readonly isDueBeyond: (length: number) => boolean;
}

/**
 * Reads of the database itself; one that fell victim to a deadlock has changed nothing and is tried again.
 * @param fresh whether they have to see what this gateway has committed
 */
export function readingFrom(
  { database, activity, fresh: committed }: Pick<Execution, 'database' | 'activity' | 'fresh'>,
  fresh = committed ?? false,
): StatementSource {
  const find = finding({ database, activity }, fresh, false);
  return {
    dialect: database.dialect,
    run: async (statement, inputs) => (await find(statement, inputs)).rows,
  };
}

/** Takes rows as they came where they can be had so. */
export function takingEncoded(
  source: StatementSource,
  execution: Pick<Execution, 'database' | 'activity' | 'fresh'>,
): StatementSource {
  return { runEncoded: finding(execution, execution.fresh ?? false, true), ...source };
}

/** Runs statements that read on the database itself. @param encoded whether rows are taken as they came */
function finding(
  { database, activity }: Pick<Execution, 'database' | 'activity'>,
  fresh: boolean,
  encoded: boolean,
): (statement: Statement, inputs: Inputs) => Promise<FoundRows> {
  const { signal, observer, principal } = activity;
  const options = { signal, observer, principal, fresh, encoded };
  return async (statement, inputs) => {
    const made = commandOf(statement, inputs, database.dialect, activity);
    const command = made instanceof Promise ? await made : made;
    return retryingDeadlocks(() => database.run(command, options));
  };
}

/** Looks single rows up of the database itself together with others who do. */
export function sharingLookups(
  source: StatementSource,
  { database: { dialect }, activity }: Pick<Execution, 'database' | 'activity'>,
  { lookups }: { lookups: LookupBatcher },
): StatementSource {
  return {
    ...source,
    run: async (statement, inputs) => {
      if (statement.together === undefined) return source.run(statement, inputs);
      const command = bindStatement(statement, inputs, dialect, activity.principal.claims);
      return (await lookups.run(command, activity)).rows;
    },
  };
}

/** The same of pages that find few rows by values: their rows are taken as they came. */
export function sharingFilters(
  source: StatementSource,
  { database, activity }: Pick<Execution, 'database' | 'activity'>,
  { lookups }: { lookups: LookupBatcher },
): StatementSource {
  const { runEncoded } = source;
  if (runEncoded === undefined) return source;
  return {
    ...source,
    runEncoded: (statement, inputs) => {
      const isShared =
        statement.together !== undefined && database.isSelective?.(statement) === true;
      if (!isShared) return runEncoded(statement, inputs);
      const { principal, signal, observer } = activity;
      const command = bindStatement(statement, inputs, database.dialect, principal.claims);
      return lookups.run(command, { principal, signal, observer, encoded: true });
    },
  };
}

/**
 * Shares the counts of reads of the database itself with others who ask for the same.
 * @param asked the moment of the counts that the request came at
 */
export function sharingCounts(
  source: StatementSource,
  { database, activity }: Pick<Execution, 'database' | 'activity'>,
  { counts, toldOf }: { counts: CountBatcher; toldOf: (principal: Principal) => string },
  asked: number,
): StatementSource {
  const { dialect } = database;
  const { principal, signal, observer } = activity;
  return {
    counting: (statement, inputs) => {
      const command = bindStatement(statement, inputs, dialect, principal.claims);
      const key = JSON.stringify([command.statement.text, command.values, toldOf(principal)]);
      const count = async (stopped: AbortSignal): Promise<number> => {
        const options = { signal: stopped, observer, principal };
        const { rows } = await retryingDeadlocks(() => database.run(command, options));
        return Number(rows[0]?.[0]);
      };
      let counted: Promise<number> | null = null;
      return {
        run: () => (counted ??= counts.count(key, asked, signal, count)),
        isDueBeyond: (length) => {
          if ((counts.lastLength(key) ?? 0) <= length || counts.isKnown(key, asked)) return false;
          const { size, used, waiting } = database.pool();
          // One for the page itself.
          return used + 1 < size && waiting === 0;
        },
      };
    },
    ...source,
  };
}

/** Statements on the connection of a transaction. */
export function sourceOn(
  connection: Connection,
  { database: { dialect }, activity }: Pick<Execution, 'database' | 'activity'>,
): StatementSource {
  return {
    dialect,
    run: async (statement, inputs) => {
      const made = commandOf(statement, inputs, dialect, activity);
      const command = made instanceof Promise ? await made : made;
      return (await connection.run(command, activity)).rows;
    },
  };
}

/** A statement with the values of its parameters; rows that are long become text in slices. @throws as {@link bindStatement}, and the signal's reason */
function commandOf(
  statement: Statement,
  inputs: Inputs,
  dialect: Dialect,
  { principal: { claims }, signal }: Activity,
): Command | Promise<Command> {
  if (!hasLongRows(inputs)) return bindStatement(statement, inputs, dialect, claims);
  return withLongRows(statement, inputs, dialect, signal).then((given) =>
    bindStatement(statement, given, dialect, claims),
  );
}

function hasLongRows({ rows, rowsText: text }: Inputs): boolean {
  return rows !== undefined && text === undefined && areLong(rows);
}

/** The inputs of a statement with its rows, which are long, as the text that they become. */
async function withLongRows(
  { parameters }: Statement,
  inputs: Inputs,
  dialect: Dialect,
  signal: AbortSignal,
): Promise<Inputs> {
  const { rows = [] } = inputs;
  const list = parameters.find(
    (parameter) => parameter.kind === 'rows' || parameter.kind === 'keyList',
  );
  if (list === undefined) return inputs;
  return {
    ...inputs,
    rowsText: await longRowsText(rows, list.types, dialect, new TimeSlice(signal)),
  };
}

/** Some of the bytes of a column: how many stand before them, and how many they are at most. */
export interface Slice {
  readonly before: number;
  readonly length: number;
}

/** What the parameters of a statement are filled from. */
export interface Inputs {
  /** The values of the request, by slot. */
  readonly values?: readonly Literal[];
  /** The keys or rows that the statement reads, in the order of their ordinals. */
  readonly rows?: readonly InputRow[];
  /** The same as {@link rowsText} makes it, where it was made before. */
  readonly rowsText?: Text;
  /** Which bytes of a column are read. */
  readonly slice?: Slice;
  /** The bytes that columns are given. */
  readonly bytes?: readonly (Uint8Array | null)[];
}

const NO_SLICE: Slice = { before: 0, length: 0 };

/**
 * A statement with the values of its parameters.
 * @param claims what is known of whoever asks
 * @throws ProtocolError wrongType (1508) for a value that does not fit
 */
export function bindStatement(
  printed: Statement,
  { values = [], rows = [], rowsText: text, bytes = [], slice = NO_SLICE }: Inputs,
  dialect: Dialect,
  claims: Claims,
): Command {
  const given: GivenValues = { values, claims };
  const isOneKey = rows.length === 1 && text === undefined;
  const statement = fittedTo(
    (isOneKey ? printed.ofOneKey?.() : undefined) ?? printed,
    given,
    dialect,
  );
  const listItem = listBinder(given, dialect);
  const bound = statement.parameters.map((parameter): BoundValue => {
    switch (parameter.kind) {
      case 'parameter':
        return bindParameter(parameter, given, dialect);
      case 'listItem':
        return listItem(parameter.list, parameter.index);
      case 'keys':
        return bindKeys(parameter, values, dialect);
      case 'constant':
        return parameter.value;
      case 'keyList':
      case 'rows':
        return text ?? rowsText(rows, parameter.types, dialect);
      case 'rowField':
        return cellInput(rows[0]?.[parameter.index] ?? null, parameter.type, dialect);
      case 'offset':
        return String(offsetNow(parameter.timeZone));
      case 'slice':
        return String(slice[parameter.part]);
      case 'bytes':
        return bytes[parameter.index] ?? null;
    }
  });
  return { statement, values: bound };
}

/** The statement, printed for the values that their parameters' types cannot hold, where there are any. */
export function fittedTo(statement: Statement, given: GivenValues, dialect: Dialect): Statement {
  if (statement.reprinted === undefined) return statement;
  const outOfRange = findOutOfRange(statement.parameters, given, dialect.limits);
  return outOfRange.size === 0 ? statement : statement.reprinted(outOfRange);
}

/** What a result column holds as the JSON text that it is answered with. */
export function cellJson({ readers }: Pick<Statement, 'readers'>, row: Row, index: number): string {
  const value = row[index];
  if (value === null || value === undefined) return 'null';
  return readers[index]?.json(value) ?? 'null';
}

/** What a result column holds as canonical text; null for null. */
export function cellText(
  { readers }: Pick<Statement, 'readers'>,
  row: Row,
  index: number,
): string | null {
  const value = row[index];
  if (value === null || value === undefined) return null;
  return readers[index]?.text(value) ?? null;
}
