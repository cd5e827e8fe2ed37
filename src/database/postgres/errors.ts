import type { DriverErrors } from '../driver.ts';
import {
  type DatabaseError,
  databaseErrors,
  quotedIn,
  type ViolatedRule,
  type Violation,
} from '../errors.ts';

/** Errors that are not those of a statement or its rows, by SQLSTATE or its class. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const transient: Readonly<Partial<Record<string, DatabaseError>>> = {
  // The transaction lost against another one; a new one may win.
  '40001': databaseErrors.deadlock,
  '40P01': databaseErrors.deadlock,
  // A standby, or one whose administrator has said so.
  '25006': databaseErrors.readOnly,
  '53': databaseErrors.busy,
  '53100': databaseErrors.noSpace,
  '53300': databaseErrors.tooManyConnections,
  '53200': databaseErrors.noMemory,
  // A limit that its administrator has set (configuration_limit_exceeded).
  '53400': databaseErrors.tooMuch,
  '55006': databaseErrors.locked,
  '55P03': databaseErrors.locked,
  '57': databaseErrors.unavailable,
  '57014': databaseErrors.timeout,
  '58': databaseErrors.failing,
  XX: databaseErrors.failing,
};

/** Whether a kept statement must be parsed again, as an altered table has other columns. Its SQLSTATE is general, so the routine decides. */
export function isStale(error: unknown): boolean {
  return (
    stateOf(error) === '0A000' &&
    (error as { readonly routine?: unknown }).routine === 'RevalidateCachedQuery'
  );
}

function refusedRead(error: unknown): DatabaseError {
  switch (stateOf(error)) {
    // Before version 16 the server cannot test whether text is JSON.
    case '22P02':
      return databaseErrors.unreadable;
    // A materialized view that was never filled (https://www.postgresql.org/docs/current/sql-refreshmaterializedview.html).
    case '55000':
      return isRaise(error) ? databaseErrors.refused : databaseErrors.unfilled;
    case '22P05':
      return databaseErrors.unencodable;
    default:
      return databaseErrors.refused;
  }
}

/** Whether the server has ended the connection, or the error is not the server's. */
export function isLost(error: unknown): boolean {
  // A trigger may raise any state.
  if (isRaise(error)) return false;
  const state = stateOf(error);
  // 25P03 and 25P04 end the session of a transaction that is idle, or open, for too long.
  return state === '' || /^(?:08|57P0|25P0[34])/.test(state);
}

/** The drivers refuse commands on a connection, or an embedded database, that they know to be closed. */
function wasSent(error: unknown): boolean {
  return !/not queryable|is clos/i.test(error instanceof Error ? error.message : '');
}

function classify(error: unknown): DatabaseError | null {
  const state = stateOf(error);
  if (state !== '') {
    // A trigger may raise any state.
    if (isRaise(error)) return null;
    if (isLost(error)) return databaseErrors.unavailable;
    // Another try parses the statement again, as after a deadlock.
    if (isStale(error)) return databaseErrors.deadlock;
    // Types of extensions refuse values by it, too.
    if (state === 'XX000' && parameterOf(error) !== null) return null;
    return transient[state] ?? transient[state.slice(0, 2)] ?? null;
  }
  const { code, message } = error as { code?: unknown; message?: unknown };
  // The message of a driver: that of the server may hold any word.
  const isConnection =
    /^E[A-Z]+$/.test(String(code)) ||
    /terminat|timeout|closed|not queryable/i.test(String(message));
  return isConnection ? databaseErrors.unavailable : null;
}

/** Reasons why a connection fails, by SQLSTATE or its class. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const refusals: Readonly<Partial<Record<string, DatabaseError>>> = {
  // A wrong password, or a role that may not log in, or not from here.
  '28': databaseErrors.loginRefused,
  // The right to connect to the database.
  '42501': databaseErrors.loginRefused,
  '3D000': databaseErrors.missing,
  '53300': databaseErrors.tooManyConnections,
  // ALLOW_CONNECTIONS is false.
  '55000': databaseErrors.closed,
  // It starts, stops or recovers.
  '57P03': databaseErrors.moving,
};

function connecting(error: unknown): DatabaseError {
  const state = stateOf(error);
  const refusal = refusals[state] ?? refusals[state.slice(0, 2)];
  return refusal ?? classify(error) ?? databaseErrors.unavailable;
}

/** The errors of PostgreSQL, on a server or embedded. */
export const postgresErrors: DriverErrors = {
  isLost,
  wasSent,
  connecting,
  classify,
  refusedRead,
  violation: postgresViolation,
};

/** The fields of a server's error: https://www.postgresql.org/docs/current/protocol-error-fields.html */
interface ServerError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly constraint?: unknown;
  readonly column?: unknown;
  readonly table?: unknown;
  readonly schema?: unknown;
  readonly detail?: unknown;
  /** Where in the statement's text the error is; errors of values have none. */
  readonly position?: unknown;
  /** The function of the server's source code that reported it. */
  readonly routine?: unknown;
  /** The calls of triggers and functions that it came up in. */
  readonly where?: unknown;
}

/** By SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const rules: Readonly<Partial<Record<string, ViolatedRule>>> = {
  '23505': 'unique',
  '23503': 'constraint',
  '23514': 'constraint',
  '23P01': 'constraint',
  '23001': 'constraint',
  // WITH CHECK OPTION of a view.
  '44000': 'constraint',
  '23502': 'notNull',
  '22001': 'tooLong',
  '22003': 'outOfRange',
  '22015': 'outOfRange',
  '22007': 'badValue',
  '22008': 'badValue',
  '22021': 'badValue',
  '22026': 'badValue',
  '22030': 'badValue',
  '22032': 'badValue',
  '22P02': 'badValue',
  '22P03': 'badValue',
  // Of a database that is not in UTF8.
  '22P05': 'unencodable',
  '2200M': 'badValue',
  '2200N': 'badValue',
  '2200H': 'exhausted',
  // An item of an index, a row or an object is larger than the engine's limit.
  '54000': 'tooLong',
  '428C9': 'generated',
  '42809': 'notUpdatable',
  // Also the state for a row-level security policy.
  '42501': 'notAllowed',
  // A table, a column or a type: the gateway's own statements were right when it was started.
  '42703': 'outdated',
  '42804': 'outdated',
  '42846': 'outdated',
  '42883': 'outdated',
  '42P01': 'outdated',
  XX000: 'failed',
};

/** The classes of PostgreSQL itself; any other one is an application's. */
const CLASSES =
  /^(?:0[0-389ABFLPZ]|10|2[0-8BDF]|3[489BDF]|40|42|44|5[34578]|72|F0|HV|P0|XX)[0-9A-Z]{3}$/;

/**
 * Routines that refuse a statement before they look at a row: a view, or its column, cannot be changed, a published table has no key
 * (https://www.postgresql.org/docs/current/logical-replication-publication.html), or a rule stands in for the change and returns no rows
 * (https://www.postgresql.org/docs/current/rules-update.html).
 */
const BEFORE_ROWS = [
  'rewriteTargetView',
  'error_view_not_updatable',
  'CheckCmdReplicaIdentity',
  'RewriteQuery',
];

/** Routines that refuse to change a view or a table; their states have other uses, too. */
const UNCHANGEABLE = [...BEFORE_ROWS, 'CheckValidResultRel'];

/** The routine that checks rows by row-level security, and by WITH CHECK OPTION of a view. */
const ROW_POLICIES = 'ExecWithCheckOptions';

/** Rules that say nothing of a value which its type does not read. */
const UNREAD: readonly ViolatedRule[] = ['outdated', 'notAllowed', 'failed', 'other'];

/** Rules whose names stand in the message alone, and no values with them. */
const NAMING: readonly ViolatedRule[] = ['generated', 'notUpdatable', 'notAllowed'];

/** Ends the context of a value that is read as a parameter's type: `unnamed portal parameter $1 = '...'`, not `… with parameters: $1 = …` of what runs. */
const OF_PARAMETER = /(?:^|\n)[^\n"':]*\$(\d+)(?: = '(?:[^']|'')*')?$/;

/** Rules with a detail such as `Key (id)=(1) already exists.`, in the server's language. */
const KEYED: readonly string[] = ['23503', '23505'];

/** Reads the violation from a server's error. */
export function postgresViolation(error: unknown): Violation {
  const { message, constraint, column, table, schema, detail } = error as ServerError;
  const text = String(message);
  const named = [constraint, column, table].filter((name) => typeof name === 'string');
  const rule = ruleOf(error);
  const parameter = parameterOf(error);
  if (rule === 'raised') return { rule, names: named, text };
  return {
    rule,
    names: [...new Set([...named, ...(NAMING.includes(rule) ? quotedIn(text) : [])])],
    ...(typeof schema === 'string' && typeof table === 'string'
      ? { table: { schema, name: table } }
      : {}),
    ...(typeof detail === 'string' && KEYED.includes(stateOf(error)) ? { detail } : {}),
    ...(parameter === null ? {} : { parameter }),
    ...(isOfStatement(error) ? { ofStatement: true } : {}),
  };
}

/** The number of the parameter whose value could not be read; null for other errors. */
export function parameterOf(error: unknown): number | null {
  const { where } = error as ServerError;
  const found = typeof where === 'string' ? OF_PARAMETER.exec(where) : null;
  return found === null ? null : Number(found[1]);
}

/**
 * Whether the error does not depend on the rows: class 42 is that of syntax, names and rights, but policies and triggers look at rows, and types
 * read their values by names and a syntax of their own.
 */
function isOfStatement(error: unknown): boolean {
  const { routine, where, position } = error as ServerError;
  if (where !== undefined || routine === ROW_POLICIES) return false;
  if (BEFORE_ROWS.includes(String(routine))) return true;
  const state = stateOf(error);
  const rule = rules[state] ?? 'other';
  return state.startsWith('42') && (position !== undefined || NAMING.includes(rule));
}

function ruleOf(error: unknown): ViolatedRule {
  const state = stateOf(error);
  if (isRaise(error) || state === 'P0001') return 'raised';
  const { routine } = error as ServerError;
  if ((state === '55000' || state === '0A000') && UNCHANGEABLE.includes(String(routine))) {
    return 'notUpdatable';
  }
  const rule = rules[state] ?? ruleOfClass(state);
  if (parameterOf(error) !== null) return UNREAD.includes(rule) ? 'badValue' : rule;
  // A trigger's own statements were never known.
  return rule === 'outdated' && !isOfStatement(error) ? 'other' : rule;
}

/** Class 22 is that of values. */
function ruleOfClass(state: string): ViolatedRule {
  if (state.startsWith('22')) return 'badValue';
  return state !== '' && !CLASSES.test(state) ? 'raised' : 'other';
}

/** Whether RAISE of PL/pgSQL reported it, with any state. https://www.postgresql.org/docs/current/plpgsql-errors-and-messages.html */
export function isRaise(error: unknown): boolean {
  return (error as ServerError).routine === 'exec_stmt_raise';
}

/** The SQLSTATE; empty where the error is not the server's. */
export function stateOf(error: unknown): string {
  const { code } = error as ServerError;
  // EPIPE is an error of the operating system.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)
    ? code
    : '';
}
