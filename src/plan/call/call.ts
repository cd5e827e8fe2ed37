import { MOST_CALLED_ROWS } from '../../base/limits.ts';
import { notApplicable, ProtocolError } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import {
  type ApiFunction,
  columnsOf,
  type FunctionInput,
} from '../../model/functions/function-types.ts';
import { findDataclass, refuseLeftOut } from '../../model/lookup.ts';
import { isRelation, type Dataclass, type Model } from '../../model/types.ts';
import type { ColumnType } from '../../schema/types.ts';
import type {
  CallArgument,
  CallQuery,
  CallValue,
  Printer,
  Statement,
} from '../../sql/ir/statement.ts';
import type { CallRequest, ReadRequest } from '../../protocol/ast.ts';
import { keyedRequest, planEntitySet, type EntitySetPlan } from '../read/entity-set.ts';
import type { PlanContext } from '../context.ts';
import { addressesOne, withoutWalked } from '../read/selection.ts';

/** A call of a function, for all requests of one shape. */
export interface CallPlan {
  readonly called: ApiFunction;
  /** Selects the keys of the entities it is called on; null for a function that is not called on entities. */
  readonly selection: EntitySetPlan | null;
  /** Reads the entities that it answers, by their keys; null when it answers none. */
  readonly answer: EntitySetPlan | null;
  /** The statement for as many parameters as a client gives. */
  readonly statementFor: (given: number) => CallStatement;
}

/** Plans a call. @throws ProtocolError for unknown names, and what is not allowed with the function */
export function planCall(ast: CallRequest, context: PlanContext): CallPlan {
  const { called, owner } = calledBy(ast, context.model);
  if (ast.isGet && !called.allowedOnHTTPGET) {
    const message = `${called.fullName} is not called by GET: use POST, with its parameters as a JSON array in the body.`;
    throw new ProtocolError('functionNotOnGet', message);
  }
  const selection = owner === null ? null : planTarget(ast, called, context);
  return {
    called,
    selection,
    answer: planAnswer(ast, called, context),
    statementFor: callStatements(called, selection?.dataclass ?? null, context.printer),
  };
}

/** The function that a request calls, and the dataclass of the entities that it is called on. @throws ProtocolError where there is none */
export function calledBy(
  ast: CallRequest,
  model: Model,
): { readonly called: ApiFunction; readonly owner: Dataclass | null } {
  const owner = ast.on.kind === 'dataclass' ? walkedTo(ast.read, model) : null;
  return { called: calledFunction(ast, owner, model), owner };
}

/** The dataclass whose function is called. @throws ProtocolError for a path that a read could not walk either */
function walkedTo(read: ReadRequest, model: Model): Dataclass {
  const { dataclass, segments } = read;
  if (segments.length > 0 && !addressesOne(read)) {
    const message = 'Only relations of one entity can be walked to a function.';
    throw new ProtocolError('badUrl', message);
  }
  return segments.reduce(
    (here, segment) => {
      const name = segment[0]?.names.join('.') ?? '';
      const member = here.members.get(name);
      if (segment.length === 1 && member !== undefined && isRelation(member)) return member.target;
      refuseLeftOut(`${here.name}.${name}`, here.leftOut.get(name));
      throw noSuchFunction(`${here.name}.${name}`, [], savedAdvice(here, name));
    },
    findDataclass(model, dataclass),
  );
}

function calledFunction(
  { on, name }: CallRequest,
  owner: Dataclass | null,
  model: Model,
): ApiFunction {
  switch (on.kind) {
    case 'datastore':
      return found(name, name, model);
    case 'singleton': {
      const { leftOut } = model;
      const singleton = model.singletons.get(on.name);
      if (singleton !== undefined)
        return found(name, `${on.name}.${name}`, { ...singleton, leftOut });
      refuseLeftOut(on.name, leftOut.get(on.name));
      const message = `There is no singleton ${on.name}.${nameHint(on.name, model.singletons.keys())}`;
      throw new ProtocolError('noSuchFunction', message);
    }
    case 'dataclass':
      return found(
        name,
        `${owner?.name ?? ''}.${name}`,
        owner ?? { functions: new Map(), leftOut: new Map() },
        savedAdvice(owner, name),
      );
  }
}

function found(
  name: string,
  fullName: string,
  { functions, leftOut }: Pick<Model, 'functions' | 'leftOut'>,
  advice = '',
): ApiFunction {
  const called = functions.get(name);
  if (called !== undefined) return called;
  refuseLeftOut(fullName, leftOut.get(name) ?? leftOut.get(fullName));
  throw noSuchFunction(fullName, functions.keys(), advice);
}

/** A hint for clients that post to an attribute; empty where the name is not one. */
function savedAdvice(dataclass: Dataclass | null, name: string): string {
  return dataclass?.members.has(name) === true
    ? ' What an entity holds is saved with $method=update, and the bytes of an image or BLOB with $rawPict=image/png or $binary=true.'
    : '';
}

function noSuchFunction(fullName: string, known: Iterable<string>, advice: string): ProtocolError {
  const hint = nameHint(fullName.split('.').at(-1) ?? '', known);
  return new ProtocolError('noSuchFunction', `There is no function ${fullName}.${hint}${advice}`);
}

function planTarget(
  { read, ofRelation, saved }: CallRequest,
  { appliesTo, fullName }: ApiFunction,
  context: PlanContext,
): EntitySetPlan | null {
  if (appliesTo === 'dataStore' || appliesTo === 'dataClass') {
    const isPlain = read.selector.kind === 'all' && read.segments.length === 0;
    if (isPlain && read.filter === null && read.orderBy.length === 0) return null;
    const message = `${fullName} is a function of the dataclass: it is not allowed with a key, a set, $filter, $orderby or a relation.`;
    throw notApplicable(message);
  }
  const plan = planEntitySet(
    // What is answered is planned by planAnswer.
    keyedRequest(
      { ...read, attributes: null, expand: [], asArray: false },
      // A function is not called on references of a set that are undefined.
      { ofRelation, saved, clean: read.selector.kind === 'entitySet' },
    ),
    context,
  );
  const one = plan.source.kind === 'selection' && plan.source.one;
  if (appliesTo === 'entity' && !one) {
    const message = `${fullName} is called on one entity: ${plan.dataclass.name}(key)/${fullName.split('.').at(-1) ?? ''}.`;
    throw notApplicable(message);
  }
  return plan;
}

/** The keys come from the function's answer, not from a value. */
const NO_PARAMETER = { parameter: -1, class: 'text' } as const;

function planAnswer(
  { read, lifetime }: CallRequest,
  { returns, fullName }: ApiFunction,
  context: PlanContext,
): EntitySetPlan | null {
  // Clients ask for a page or a set without knowing what a function answers.
  if (returns.kind !== 'entities') return null;
  if (returns.one && read.asArray) {
    throw notApplicable(`${fullName} answers one entity, not an array.`);
  }
  if (lifetime !== null && read.asArray) {
    throw notApplicable('$asArray leaves no place to tell the id of the set that is made.');
  }
  const [walked] = read.segments.at(-1) ?? [];
  const answered: ReadRequest = {
    ...read,
    dataclass: returns.dataclass,
    selector: { kind: 'entitySet', id: NO_PARAMETER },
    segments: [],
    expand: withoutWalked(read.expand, walked?.names.join('.')),
    filter: null,
    orderBy: [],
  };
  const how = { lifetime: returns.one ? null : lifetime, clean: true };
  return planEntitySet(keyedRequest(answered, how), context);
}

/** The statement of a call, and where its values come from. */
export interface CallStatement {
  readonly query: CallQuery;
  readonly statement: Statement;
  /** The inputs of the fields of the statement's row, and of its bytes, in order. */
  readonly fields: readonly FunctionInput[];
  readonly bytes: readonly FunctionInput[];
}

/** Prints the statements of a call: one for each number of parameters that a client gives; the others are left to the routine. */
export function callStatements(
  called: ApiFunction,
  owner: Dataclass | null,
  printer: Printer,
): (given: number) => CallStatement {
  const printed = (given: number): CallStatement => {
    const planned = planCallQuery(called, given, owner);
    return { statement: printer.printCall(planned.query), ...planned };
  };
  // The longest; nearly all clients of a function give the same number.
  let latest = { given: called.parameters.length, made: printed(called.parameters.length) };
  return (given) => {
    if (latest.given !== given) latest = { given, made: printed(given) };
    return latest.made;
  };
}

function planCallQuery(
  { routine, inputs, returns }: ApiFunction,
  given: number,
  owner: Dataclass | null,
): Omit<CallStatement, 'statement'> {
  const fields: FunctionInput[] = [];
  const bytes: FunctionInput[] = [];
  const valueOf = (input: FunctionInput): CallValue => {
    const { from, type, parameter } = input;
    if (from.kind === 'client' && from.index >= given) return { kind: 'default' };
    if (type.kind === 'binary') {
      bytes.push(input);
      return { kind: 'bytes', index: bytes.length - 1 };
    }
    fields.push(input);
    const index = fields.length - 1;
    if (from.kind === 'keys' && from.form === 'table' && parameter.table !== undefined) {
      const parts = (owner?.key ?? []).map(({ columnType }): ColumnType => columnType);
      return { kind: 'table', index, table: parameter.table, parts };
    }
    return { kind: 'field', index, type };
  };
  const args = routine.parameters.flatMap((parameter): CallArgument[] => {
    const { name, nameless, type, direction } = parameter;
    const input = inputs.find((one) => one.parameter === parameter);
    const value: CallValue = input === undefined ? { kind: 'default' } : valueOf(input);
    return [{ name, nameless: nameless ?? false, type, direction, value }];
  });
  const columns = routine.returns.kind === 'none' ? [] : columnsOf(routine);
  return {
    query: {
      kind: routine.kind,
      schema: routine.schema,
      name: routine.name,
      arguments: args,
      columns:
        routine.kind === 'procedure'
          ? null
          : // One column is enough to have a function run whose answer nobody is told.
            returns.kind === 'nothing'
            ? (columns?.slice(0, 1) ?? null)
            : columns,
      isScalar: routine.returns.kind === 'value',
      // One more than there may be tells that there are too many.
      most: MOST_CALLED_ROWS + 1,
    },
    fields,
    bytes,
  };
}
