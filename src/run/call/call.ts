import { catching, type ErrorName, ProtocolError } from '../../base/errors.ts';
import { MOST_CALLED_ROWS } from '../../base/limits.ts';
import { inSlices, type TimeSlice } from '../../base/time.ts';
import { retryingDeadlocks } from '../../database/connection.ts';
import type { Command, ResultSet } from '../../database/database.ts';
import { databaseErrors, DatabaseRefusal } from '../../database/errors.ts';
import type { ApiFunction, FunctionInput } from '../../model/functions/function-types.ts';
import type { Dataclass } from '../../model/types.ts';
import type { CallPlan, CallStatement } from '../../plan/call/call.ts';
import type { EntitySetPlan } from '../../plan/read/entity-set.ts';
import type { JsonValue } from '../../protocol/body/json.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import type { Key, StoredKeys } from '../../state/entity-set/keys.ts';
import { isNumeric, keyText, keyValues } from '../body/entity-key.ts';
import { canonicalText } from '../convert/bind.ts';
import { ConversionError, expectedOf } from '../convert/conversion-error.ts';
import { type FindUpload, isBytes, type StoredValue, storing } from '../convert/stored-value.ts';
import { bindStatement, type Execution, type InputRow } from '../run.ts';
import { answerKeys, type SetPage } from '../sets/entity-set.ts';
import { narrowKeys } from '../sets/narrow-keys.ts';
import { type SetExecution, type SetRequest, sourceKeys, withWorkspace } from '../sets/set-keys.ts';
import { calledAnswer, type CalledAnswer, calledKeys } from './called-rows.ts';

/** The result of a call: the routine's answer, or the entities that it stands for. */
export type CallResult =
  | { readonly kind: 'answer'; readonly answer: CalledAnswer }
  | { readonly kind: 'entities'; readonly page: SetPage };

export interface CallInput {
  readonly parameters: readonly StoredValue[];
  /** Whether it may change nothing. */
  readonly readOnly: boolean;
}

/** How many keys a function takes at most, as one parameter. */
const MOST_KEYS = 100_000;

/** Runs a call in one transaction: selects the keys it is called on, calls the routine, and reads the entities it answers, if the user sees them. */
export async function runCall(
  plan: CallPlan,
  { parameters, readOnly }: CallInput,
  request: SetRequest,
): Promise<CallResult> {
  const { called, selection } = plan;
  return withWorkspace(request, async (own): Promise<CallResult> => {
    const { workspace } = own;
    const keys = selection === null ? null : await targetKeys(selection, called, own);
    const statement = plan.statementFor(parameters.length);
    const target = { dataclass: selection?.dataclass ?? null, keys };
    const command = commandOf(statement, called, parameters, target, own);
    const results = await callRoutine(command, called, readOnly, own);
    const { dialect } = own.database;
    const answer = calledAnswer(results, statement, called, dialect);
    const { returns, fullName } = called;
    if (answer.results.some(({ rows }) => rows.length > MOST_CALLED_ROWS)) {
      const message = `${fullName} answers more than ${MOST_CALLED_ROWS} rows: have it answer fewer.`;
      throw new ProtocolError('answerTooLarge', message);
    }
    if (plan.answer === null || returns.kind !== 'entities') return { kind: 'answer', answer };
    const [rows] = answer.results;
    if (rows === undefined) {
      const message = `${fullName} answered no rows that could be entities.`;
      throw new ProtocolError('badFunctionResult', message);
    }
    const most = returns.one ? 1 : MOST_CALLED_ROWS;
    const context = { dialect, room: workspace, fullName };
    const found = calledKeys(rows, returns.key, plan.answer.dataclass, most, context);
    const page = await answerKeys(plan.answer, found, { ...own, fresh: true });
    return { kind: 'entities', page };
  });
}

async function targetKeys(
  { dataclass, source, narrowing }: EntitySetPlan,
  { fullName, appliesTo }: ApiFunction,
  execution: SetExecution,
): Promise<readonly Key[]> {
  const found = await sourceKeys(source, dataclass, execution);
  const keys: StoredKeys =
    narrowing === null || source.kind === 'selection'
      ? found
      : await narrowKeys(found, narrowing, execution);
  if (appliesTo === 'entity' && keys.size === 0) {
    const why = `The path leads to no entity that ${fullName} could be called on.`;
    throw new ProtocolError('noSuchEntity', why);
  }
  if (keys.size <= MOST_KEYS) return keys.slice(0, keys.size);
  const message = `${fullName} is given at most ${MOST_KEYS} keys, and these are ${keys.size}: narrow them by $filter.`;
  throw new ProtocolError('entitySetTooLarge', message);
}

interface Target {
  readonly dataclass: Dataclass | null;
  readonly keys: readonly Key[] | null;
}

function commandOf(
  { statement, fields, bytes }: CallStatement,
  called: ApiFunction,
  parameters: readonly StoredValue[],
  target: Target,
  { database: { dialect }, activity }: Execution,
): Command {
  const row: InputRow = fields.map((input) => {
    const value = valueOf(input, called, parameters, target, dialect.limits);
    return isBytes(value) ? null : value;
  });
  const given = bytes.flatMap((input) => {
    const value = valueOf(input, called, parameters, target, dialect.limits);
    return isBytes(value) ? [value] : [null];
  });
  return bindStatement(
    statement,
    { rows: [row], bytes: given },
    dialect,
    activity.principal.claims,
  );
}

function valueOf(
  { from, type, parameter }: FunctionInput,
  { fullName }: ApiFunction,
  parameters: readonly StoredValue[],
  { dataclass, keys }: Target,
  limits: Execution['database']['dialect']['limits'],
): StoredValue {
  switch (from.kind) {
    case 'client':
      return parameters[from.index] ?? null;
    case 'key': {
      const text = keys?.[0]?.[from.part] ?? null;
      if (text === null) return null;
      return catching(
        ConversionError,
        () => canonicalText(text, type, limits),
        (error) => {
          const message = `The key ${text} is not a value for ${fullName}.${parameter.name}: expected ${error.message}.`;
          throw new ProtocolError('wrongType', message);
        },
      );
    }
    case 'keys':
      return keysValue(from.form, keys ?? [], dataclass);
  }
}

/** Keys as an array of texts, as rows of parts, or as JSON that names the parts where there are several. */
function keysValue(
  form: 'array' | 'json' | 'table',
  keys: readonly Key[],
  dataclass: Dataclass | null,
): string {
  switch (form) {
    case 'array':
      return JSON.stringify(keys.map(([only]) => only ?? null));
    case 'table':
      return JSON.stringify(keys);
    case 'json':
      return `[${keys.map((key) => keyJson(key, dataclass)).join(',')}]`;
  }
}

function keyJson(key: Key, dataclass: Dataclass | null): string {
  if (dataclass === null) return 'null';
  const parts = keyValues(dataclass, key);
  const [only, ...more] = parts;
  const text = keyText(parts);
  if (only === undefined || more.length > 0) return text;
  return isNumeric(only.type) || only.type.kind === 'boolean' ? text : JSON.stringify(text);
}

/** Calls the routine. A procedure may have done what no rollback undoes, and is not tried again after a deadlock; a function is. */
async function callRoutine(
  command: Command,
  called: ApiFunction,
  readOnly: boolean,
  { database, activity }: Execution,
): Promise<readonly ResultSet[]> {
  const { readOnlyTransaction } = database.dialect;
  const inTransaction = (): Promise<readonly ResultSet[]> =>
    database.transaction(async (connection) => {
      if (readOnly && readOnlyTransaction !== null) {
        await connection.run({ statement: readOnlyTransaction, values: [] }, activity);
      }
      return connection.call(command, activity);
    }, activity);
  try {
    if (!called.inTransaction) return await database.call(command, activity);
    return called.routine.kind === 'function'
      ? await retryingDeadlocks(inTransaction)
      : await inTransaction();
  } catch (error) {
    if (error instanceof DatabaseRefusal) throw explainCallRefusal(error, called);
    if (readOnly && isReadOnly(error)) {
      const message = `${called.fullName} changes something, and GET may not: use POST.`;
      throw new ProtocolError('functionNotOnGet', message, undefined, error);
    }
    throw error;
  }
}

function isReadOnly(error: unknown): boolean {
  return error instanceof ProtocolError && error.message === databaseErrors.readOnly.message;
}

/** The error of a refused call. What programs of the database raise on purpose is for the client; other words of the engine stay in the cause. */
export function explainCallRefusal(
  refusal: DatabaseRefusal,
  { fullName, parameters }: ApiFunction,
): ProtocolError {
  const error = (errorName: ErrorName, message: string): ProtocolError =>
    new ProtocolError(errorName, message, undefined, refusal);
  const { rule, text } = refusal.violation;
  const refused = `${fullName} was refused`;
  switch (rule) {
    case 'raised':
      return error('raised', text ?? `A rule of the database’s own programs refused ${fullName}.`);
    case 'notAllowed':
      return error(
        'mayNotExecute',
        `The gateway’s user of the database may not execute ${fullName}, or not do what it does.`,
      );
    case 'outdated':
      return ProtocolError.of('schemaChanged', refusal);
    case 'unique':
      return error('duplicateKey', `${refused}: a value has to be unique, and is there already.`);
    case 'constraint':
      return error('brokenRule', `${refused}: it breaks a rule that the database sets.`);
    case 'notNull':
      return error('mandatoryMissing', `${refused}: it leaves out a mandatory value.`);
    case 'tooLong':
      return error('tooLong', `${refused}: a value is longer than the database can hold.`);
    case 'outOfRange':
      return error('tooLarge', `${refused}: a value is outside of what the database can hold.`);
    case 'badValue':
    case 'unencodable':
      return error(
        'wrongType',
        `${refused}: a value is not of the kind that the database takes there.${takenBy(parameters)}`,
      );
    case 'exhausted':
      return error('notSaved', `${refused}: a sequence or an identity has reached its end.`);
    case 'failed':
      return error('databaseUnable', refusal.message);
    case 'generated':
    case 'notUpdatable':
    case 'notComputable':
    case 'other':
      return error('refusedByDatabase', `The database refused to execute ${fullName}.`);
  }
}

/** What the parameters take whose values the database alone can read. */
function takenBy(parameters: ApiFunction['parameters']): string {
  const texts = parameters.flatMap(({ name, type }) =>
    type.kind === 'opaque' || type.kind === 'json' ? `${name} takes ${expectedOf(type)}` : [],
  );
  return texts.length === 0 ? '' : ` Of its parameters, ${texts.join(', ')}.`;
}

/** The parameters of a call as values of their types. @throws ProtocolError naming the parameter as `Employee.raise.P_RATE` */
export async function callValues(
  { fullName, parameters }: ApiFunction,
  given: readonly JsonValue[],
  findUpload: FindUpload,
  limits: ValueLimits,
  slice: TimeSlice,
): Promise<StoredValue[]> {
  const least = parameters.findLastIndex(({ optional }) => !optional) + 1;
  if (given.length < least || given.length > parameters.length) {
    const names = parameters.map(({ name, optional }) => (optional ? `${name} (optional)` : name));
    const taken = parameters.length === 0 ? 'no parameters' : `the parameters ${names.join(', ')}`;
    const message = `${fullName} takes ${taken}, and is given ${given.length}.`;
    throw new ProtocolError('badParameters', message);
  }
  const values: StoredValue[] = [];
  for (const [index, value] of given.entries()) {
    const { name = '', type } = parameters[index] ?? {};
    if (type === undefined) throw new Error(`${fullName} has no parameter ${index}`);
    const slot = { member: `${fullName}.${name}`, type };
    const steps = storing(value, slot, { findUpload, limits });
    // What says nothing of an entity's bytes gives a function none.
    values.push((await inSlices(steps, slice)) ?? null);
  }
  return values;
}
