import { ProtocolError } from '../base/errors.ts';
import { NOBODY } from '../base/principal.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { printContent } from '../run/read/content.ts';
import { printRead } from '../run/read/print-read.ts';
import { printCall, type PrintedCall, type PrintedCallStatement } from '../run/call/print-call.ts';
import { printEntitySet } from '../run/sets/print-entity-set.ts';
import {
  printedCallStatements,
  printedContentStatements,
  printedSetStatements,
  type PrintedStatement,
  printedStatements,
  printedValueStatements,
} from '../run/read/printed-statements.ts';
import { printValues } from '../run/read/values.ts';
import { fittedTo } from '../run/run.ts';
import type { Model } from '../model/types.ts';
import { bindKeys, bindParameter, type GivenValues, listBinder } from '../run/convert/bind.ts';
import { callValues } from '../run/call/call-values.ts';
import { isBytes, type StoredValue } from '../run/convert/stored-value.ts';
import { unattended } from '../base/observe/observer.ts';
import type { Parameter } from '../sql/ir/ir.ts';
import { functionsOf, planCall } from '../plan/call/call.ts';
import { planCompute } from '../plan/read/compute.ts';
import { planDistinct } from '../plan/read/distinct.ts';
import { contentOfRead, planContent } from '../plan/read/content.ts';
import { exportOf, hasKeys, planEntitySet } from '../plan/read/entity-set.ts';
import { isExport } from '../protocol/url/keywords.ts';
import { planRead, type PlanSettings } from '../plan/read/read.ts';
import type { CallRequest, Literal, RequestAst } from '../protocol/ast.ts';
import { urlParams } from '../protocol/body/body.ts';
import { parseRequest } from '../protocol/parse.ts';
import type { Dialect, StatementParameter } from '../sql/dialect.ts';
import { findDataclass } from '../model/lookup.ts';

/** A statement that a request would run. */
export interface RequestStatement {
  /** What it is for, and when it runs. */
  readonly role: string;
  readonly text: string;
  /** What each parameter is given, in the order of the placeholders. */
  readonly parameters: readonly string[];
}

/**
 * The statements that a request comes to, without running them.
 * @param url path and query of a GET, below `/rest` or from there on
 * @returns none for the catalog, which is answered from the model, nor for what is done to entity sets in memory
 * @throws ProtocolError as the gateway would answer it
 */
export async function requestStatements(
  url: string,
  model: Model,
  settings: PlanSettings,
  dialect: Dialect,
): Promise<RequestStatement[]> {
  const isFunction = functionsOf(model);
  const { ast, values } = parseRequest(pathOf(url), 'GET', settings.limits, isFunction);
  const given: GivenValues = { values, claims: NOBODY.claims };
  if (ast.kind === 'catalog') {
    for (const name of ast.names) findDataclass(model, name);
    return [];
  }
  if (ast.kind === 'release') {
    findDataclass(model, ast.dataclass);
    return [];
  }
  const call =
    ast.kind === 'call' ? await plannedCall(ast, values, model, settings, dialect) : null;
  const printed =
    call === null
      ? statementsOf(ast, given, model, settings, dialect)
      : printedCallStatements(call.printed, call.statement);
  return printed.map((printedStatement) => {
    const { text, parameters } = fittedTo(printedStatement.statement, given, dialect);
    return {
      role: roleText(printedStatement),
      text,
      parameters: parameters.map((parameter) =>
        parameter.kind === 'rowField' || parameter.kind === 'bytes'
          ? describeInput(parameter, call, dialect)
          : describe(parameter, printedStatement, given, dialect),
      ),
    };
  });
}

/** A call with its statement for the parameters that it is given. */
interface GivenCall extends PrintedCallStatement {
  readonly printed: PrintedCall;
  readonly parameters: readonly StoredValue[];
}

/** Plans a call as one by POST, whose parameters are those of `$params`. */
async function plannedCall(
  ast: CallRequest,
  values: readonly Literal[],
  model: Model,
  settings: PlanSettings,
  dialect: Dialect,
): Promise<GivenCall> {
  const printed = printCall(planCall({ ...ast, byGet: false }, model, settings), dialect);
  const text = ast.params === null ? '' : values[ast.params.slot]?.value;
  const given = typeof text === 'string' ? urlParams(text) : [];
  const { called } = printed.plan;
  const slice = new TimeSlice(unattended.signal);
  const parameters = await callValues(called, given, () => undefined, dialect.limits, slice);
  return { printed, parameters, ...printed.statementFor(parameters.length) };
}

/** What a parameter of a call is given. */
function describeInput(
  parameter: Extract<StatementParameter, { kind: 'rowField' | 'bytes' }>,
  call: GivenCall | null,
  dialect: Dialect,
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

function statementsOf(
  ast: RequestAst,
  given: Pick<GivenValues, 'values'>,
  model: Model,
  settings: PlanSettings,
  dialect: Dialect,
): PrintedStatement[] {
  const content = ast.kind === 'read' ? contentOfRead(ast, model) : ast;
  if (content?.kind === 'content') {
    return printedContentStatements(printContent(planContent(content, model, settings), dialect));
  }
  if (ast.kind === 'read' && isExport(ast.format) && hasKeys(ast, model)) {
    const plan = planEntitySet(exportOf(ast), model, settings);
    return printedSetStatements(printEntitySet(plan, dialect));
  }
  if (ast.kind === 'read') {
    return printedStatements(printRead(planRead(ast, model, settings), dialect), given.values);
  }
  if (ast.kind === 'entitySet') {
    return printedSetStatements(printEntitySet(planEntitySet(ast, model, settings), dialect));
  }
  if (ast.kind === 'compute') {
    return printedValueStatements(printValues(planCompute(ast, model, settings), dialect));
  }
  if (ast.kind === 'distinct') {
    return printedValueStatements(printValues(planDistinct(ast, model, settings), dialect));
  }
  if (ast.kind === 'lock') {
    throw new ProtocolError(
      'notApplicable',
      '$lock changes something: only the statements of reads are printed.',
    );
  }
  throw new Error(`a GET came to ${ast.kind}`);
}

function roleText({ role, path }: PrintedStatement): string {
  switch (role) {
    case 'entity':
    case 'page':
      return `the ${role}`;
    case 'origin':
      return 'where nothing was found: whether the entity in the path exists';
    case 'digested':
      return 'the first slice of the content, and when the last one has been read: a digest of the whole';
    case 'slice':
      return 'a slice of the content: each, one after the other';
    case 'keys':
      return 'the keys of the entity set, in its order';
    case 'target':
      return 'the keys of what the function is called on, in their order';
    case 'call':
      return 'the call, with what it is given';
    case 'saved':
      return 'where the entity set is gone: its keys, in its order';
    case 'narrowing':
      return 'which of its keys stay, and in which order';
    case 'values':
      return 'the values, or what is computed of them';
    case 'count':
      return 'the count, where the page does not tell it';
    case 'related': {
      const fields = path.map(({ field, dataclass }) => field ?? dataclass);
      return `${fields.join('.')} of all rows above, at once`;
    }
  }
}

function describe(
  parameter: StatementParameter,
  { role }: PrintedStatement,
  given: GivenValues,
  dialect: Dialect,
): string {
  switch (parameter.kind) {
    case 'parameter': {
      const value = bindParameter(parameter, given, dialect);
      return `${JSON.stringify(value)} (${typeName(parameter, dialect.parameterType(parameter, value))})`;
    }
    case 'listItem': {
      const { list, index } = parameter;
      const value = listBinder(given, dialect)(list, index);
      const bound = dialect.parameterType(parameter, value);
      return `${JSON.stringify(value)} (${bound ?? list.type.native}, of a list)`;
    }
    case 'keys': {
      const value = bindKeys(parameter, given.values, dialect);
      const parts = parameter.types.map(({ native }) => native).join(', ');
      const bound = dialect.parameterType(parameter, value);
      return `${JSON.stringify(value)} (keys as JSON rows [ordinal, ${parts}]${bound === null ? '' : `, ${bound}`})`;
    }
    case 'constant': {
      const bound = dialect.parameterType(parameter, parameter.value);
      return `${JSON.stringify(parameter.value)} (a constant of the statement${bound === null ? '' : `, ${bound}`})`;
    }
    case 'slice':
      return parameter.part === 'before'
        ? 'how many bytes stand before the slice that is read'
        : 'how many bytes the slice has';
    case 'rows':
    case 'rowField':
    case 'offset':
    case 'bytes':
      throw new Error('a read writes nothing');
    case 'keyList': {
      const parts = parameter.types.map(({ native }) => native).join(', ');
      const bound = dialect.parameterType(parameter, '');
      return `the keys of the ${role === 'related' ? 'rows above' : 'entity set'}, as JSON rows [ordinal, ${parts}]${bound === null ? '' : ` (${bound})`}`;
    }
  }
}

/** What a parameter is: the type that it is bound as, or else that of the column it meets. */
function typeName({ type, use }: Parameter, bound: string | null): string {
  const as = bound === null ? '' : `, ${bound}`;
  switch (use) {
    case 'count':
      return bound ?? 'a whole number';
    case 'list':
      return `list of ${type.native}${as}`;
    case 'wildcard':
    case 'begins':
    case 'contains':
      return `LIKE pattern${as}`;
    case 'value':
      return bound ?? type.native;
  }
}

/** The raw path and query as a browser would send them: blanks and letters beyond ASCII are encoded. */
function pathOf(url: string): string {
  const path = url
    .replace(/^[a-z]+:\/\/[^/]*/i, '')
    .replace(/^(?!\/)/, '/')
    .replace(/[^\u0021-\u007e]+/gu, (text) => encodeURIComponent(text));
  return /^\/rest(?:[/?]|$)/.test(path) ? path : `/rest${path}`;
}
