import { ProtocolError } from '../base/errors.ts';
import { type Claims, NOBODY } from '../base/principal.ts';
import { TimeSlice } from '../base/time.ts';
import {
  callStatements,
  changesStatements,
  contentStatements,
  groupStatements,
  setStatements,
  type PlannedStatement,
  readStatements,
  valueStatements,
} from '../run/read/plan-statements.ts';
import { fittedTo } from '../run/run.ts';
import type { Model } from '../model/types.ts';
import { bindKeys, bindParameter, type GivenValues, listBinder } from '../run/convert/bind.ts';
import { parameterText } from '../run/sets/set-keys.ts';
import { callValues } from '../run/call/call.ts';
import { isBytes, type StoredValue } from '../run/convert/stored-value.ts';
import { gatewayContext } from '../base/observe/observer.ts';
import type { Parameter } from '../sql/ir/ir.ts';
import { findDataclass, functionsOf } from '../model/lookup.ts';
import { type CallPlan, type CallStatement, planCall } from '../plan/call/call.ts';
import type { PlanContext } from '../plan/context.ts';
import { planCompute } from '../plan/read/compute.ts';
import { planDistinct } from '../plan/read/distinct.ts';
import { planGroups } from '../plan/read/groups.ts';
import { contentOfRead, planContent } from '../plan/read/content.ts';
import { exportOf, hasKeys, planEntitySet } from '../plan/read/entity-set.ts';
import { isExport } from '../protocol/requests/read.ts';
import { planChanges } from '../plan/read/changes.ts';
import { planRead } from '../plan/read/read.ts';
import type { CallRequest, Literal, RequestAst } from '../protocol/ast.ts';
import { urlParams } from '../protocol/body/body.ts';
import { parseRequest } from '../protocol/parse.ts';
import type { ColumnType } from '../schema/types.ts';
import type { BoundValue, Dialect } from '../sql/dialect.ts';
import type { StatementParameter } from '../sql/ir/statement.ts';

export interface RequestStatement {
  /** Its purpose, and when it runs. */
  readonly role: string;
  readonly text: string;
  /** The values of the parameters, in the order of the placeholders. */
  readonly parameters: readonly string[];
}

/** A call with its statement for the parameters that it is given. */
interface GivenCall extends CallStatement {
  readonly plan: CallPlan;
  readonly parameters: readonly StoredValue[];
}

interface Described {
  readonly role: PlannedStatement['role'];
  readonly given: GivenValues;
  readonly call: GivenCall | null;
  readonly dialect: Dialect;
}

/**
 * Prints the statements of a request without running them: none for what the model or the entity sets in memory answer.
 * @param url path and query of a GET, with or without `/rest`
 * @param claims those that filters of roles are compared with
 * @throws ProtocolError as the gateway would answer it
 */
export async function requestStatements(
  url: string,
  model: Model,
  settings: Omit<PlanContext, 'model' | 'printer'>,
  dialect: Dialect,
  claims: Claims = NOBODY.claims,
): Promise<RequestStatement[]> {
  const context: PlanContext = { ...settings, model, printer: dialect };
  const { ast, values } = parseRequest(pathOf(url), 'GET', settings.limits, functionsOf(model));
  const given: GivenValues = { values, claims, period: ANY_PERIOD };
  if (ast.kind === 'catalog') {
    for (const name of ast.names) findDataclass(model, name);
    return [];
  }
  if (ast.kind === 'release') {
    findDataclass(model, ast.dataclass);
    return [];
  }
  const call = ast.kind === 'call' ? await plannedCall(ast, values, context, dialect) : null;
  const printed =
    call === null ? statementsOf(ast, values, context) : callStatements(call.plan, call.statement);
  return printed.map(({ statement, role, path }) => {
    const { text, parameters } = fittedTo(statement, given, dialect);
    const fields = path.map(({ field, dataclass }) => field ?? dataclass).join('.');
    return {
      role: role === 'related' ? `${fields} of all rows above, at once` : ROLES[role],
      text,
      parameters: parameters.map((parameter) =>
        describe(parameter, { role, given, call, dialect }),
      ),
    };
  });
}

/** Plans a call as one by POST, with the parameters of `$params`. */
async function plannedCall(
  ast: CallRequest,
  values: readonly Literal[],
  context: PlanContext,
  dialect: Dialect,
): Promise<GivenCall> {
  const plan = planCall({ ...ast, isGet: false }, context);
  const given = ast.params === null ? [] : urlParams(parameterText(ast.params, values));
  const { called } = plan;
  const slice = new TimeSlice(gatewayContext.signal);
  const parameters = await callValues(called, given, () => undefined, dialect.limits, slice);
  return { plan, parameters, ...plan.statementFor(parameters.length) };
}

function statementsOf(
  ast: RequestAst,
  values: readonly Literal[],
  context: PlanContext,
): PlannedStatement[] {
  const { model } = context;
  const content = ast.kind === 'read' ? contentOfRead(ast, model) : ast;
  if (content?.kind === 'content') return contentStatements(planContent(content, context));
  if (ast.kind === 'read' && isExport(ast.format) && hasKeys(ast, model)) {
    return setStatements(planEntitySet(exportOf(ast), context));
  }
  if (ast.kind === 'read') return readStatements(planRead(ast, context), values);
  if (ast.kind === 'entitySet') return setStatements(planEntitySet(ast, context));
  if (ast.kind === 'compute') return valueStatements(planCompute(ast, context));
  if (ast.kind === 'distinct') return valueStatements(planDistinct(ast, context));
  if (ast.kind === 'groups') return groupStatements(planGroups(ast, context));
  if (ast.kind === 'changes') return changesStatements(planChanges(ast.read, context));
  const what = ast.kind === 'lock' ? '$lock' : 'this request';
  const message = `Statements of ${what} cannot be printed, only those of reads.`;
  throw new ProtocolError('notApplicable', message);
}

/** Stands for the versions of a period, which only a run knows; this text is both a number and a time. */
const ANY_PERIOD = { since: '2000', until: '2000', before: '2000' };

const ROLES: Readonly<Record<Exclude<PlannedStatement['role'], 'related'>, string>> = {
  entity: 'the entity',
  page: 'the page',
  origin: 'if nothing was found: whether the entity in the path exists',
  digested: 'the first slice of the content, and after the last one a digest of the whole',
  slice: 'a slice of the content, repeated for each',
  keys: 'the keys of the entity set, in order',
  target: 'the keys of the entities that the function is called on, in order',
  call: 'the call, with its parameters',
  saved: 'if the entity set is gone: its keys, in order',
  narrowing: 'the keys that remain, in order',
  values: 'the values, or aggregates of them',
  groups: 'the groups, with their aggregates',
  checkedGroups: 'if one of their numbers is NaN or infinite: the groups without it',
  groupCount: 'the number of groups, unless the page tells it',
  bound: 'how far changes are complete',
  deleted: 'the keys of deleted entities, page by page',
  unmet: 'the keys of changed entities that do not meet the filter, page by page',
  changed: 'the new and changed entities, page by page',
  count: 'the count, unless the page tells it',
};

/** The versions of a period. */
const VERSIONS = {
  since: 'the version of the token',
  before: 'the version before that of the token',
  until: 'the version up to which changes are complete',
} as const;

function describe(parameter: StatementParameter, described: Described): string {
  const { role, given, dialect } = described;
  const shown = (value: BoundValue, type: (bound: string | null) => string): string =>
    `${JSON.stringify(value)} (${type(dialect.parameterType(parameter, value))})`;
  switch (parameter.kind) {
    case 'parameter':
      if (parameter.source.from === 'period') return VERSIONS[parameter.source.end];
      return shown(bindParameter(parameter, given, dialect), (bound) => typeName(parameter, bound));
    case 'listItem': {
      const { list, index } = parameter;
      const value = listBinder(given, dialect)(list, index);
      return shown(value, (bound) => `${bound ?? list.type.native}, of a list`);
    }
    case 'keys':
      return shown(
        bindKeys(parameter, given.values, dialect),
        (bound) => `keys as JSON rows [ordinal, ${typesOf(parameter)}]${behind(bound)}`,
      );
    case 'constant':
      return shown(parameter.value, (bound) => `a constant of the statement${behind(bound)}`);
    case 'slice':
      return parameter.part === 'before'
        ? 'the number of bytes before the slice'
        : 'the length of the slice in bytes';
    case 'keyList': {
      const bound = dialect.parameterType(parameter, '');
      const keys = `the keys of the ${role === 'related' ? 'rows above' : 'entity set'}`;
      return `${keys}, as JSON rows [ordinal, ${typesOf(parameter)}]${bound === null ? '' : ` (${bound})`}`;
    }
    case 'rowField':
    case 'bytes':
      return describeInput(parameter, described);
    case 'rows':
    case 'offset':
      throw new Error('a read writes nothing');
  }
}

function describeInput(
  parameter: Extract<StatementParameter, { kind: 'rowField' | 'bytes' }>,
  { call, dialect }: Described,
): string {
  const inputs = parameter.kind === 'bytes' ? call?.bytes : call?.fields;
  const input = inputs?.[parameter.index];
  if (input === undefined) throw new Error('a read writes nothing');
  const { from } = input;
  const name = input.parameter.name;
  switch (from.kind) {
    case 'client': {
      const value = call?.parameters[from.index] ?? null;
      if (isBytes(value)) return `${value.length} bytes (${name})`;
      const bound = dialect.parameterType(parameter, value ?? '') ?? input.type.native;
      return `${JSON.stringify(value)} (${name}, ${bound})`;
    }
    case 'key':
      return `the key of the entity, part ${from.part + 1} (${name})`;
    case 'keys':
      return `the keys of the entities (${name})`;
  }
}

function typesOf({ types }: { readonly types: readonly ColumnType[] }): string {
  return types.map(({ native }) => native).join(', ');
}

function behind(bound: string | null): string {
  return bound === null ? '' : `, ${bound}`;
}

/** Names the type that a parameter is bound as, or else that of its column. */
function typeName({ type, use }: Parameter, bound: string | null): string {
  switch (use) {
    case 'count':
      return bound ?? 'a whole number';
    case 'list':
      return `list of ${type.native}${behind(bound)}`;
    case 'wildcard':
    case 'begins':
    case 'contains':
      return `LIKE pattern${behind(bound)}`;
    case 'value':
      return bound ?? type.native;
  }
}

/** Encodes blanks and letters beyond ASCII in path and query, as a browser does. */
function pathOf(url: string): string {
  const path = url
    .replace(/^[a-z]+:\/\/[^/]*/i, '')
    .replace(/^(?!\/)/, '/')
    .replace(/[^\u0021-\u007e]+/gu, (text) => encodeURIComponent(text));
  return /^\/rest(?:[/?]|$)/.test(path) ? path : `/rest${path}`;
}
