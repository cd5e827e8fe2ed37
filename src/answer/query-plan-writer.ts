import type { EnginePlan, QueryStep } from '../run/read/query-path.ts';
import type { PlannedStatement } from '../run/read/plan-statements.ts';
import type {
  DescribedCondition,
  DescribedJoin,
  DescribedValue,
  PlanDescription,
} from '../plan/read/description.ts';
import { writtenComparator } from '../plan/condition/comparison.ts';
import { jsonText } from '../protocol/body/json-writer.ts';
import { Digits, type JsonObject } from '../protocol/body/json.ts';
import type { Literal } from '../protocol/ast.ts';
import { literalOf } from '../run/convert/bind.ts';

/** The values of a request, by parameter. */
type Values = readonly Literal[];

const OPERATOR_NAMES: Readonly<Record<Exclude<PlanDescription['kind'], 'condition'>, string>> = {
  and: 'And',
  or: 'Or',
  except: 'Except',
  not: 'Not',
};

/** A number as JSON writes it; others, such as `007`, are text. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** The simplified and the extended plan of a query (§2.6) with the client's values, as JSON fields, each with a comma behind it. */
export function queryPlanFields(description: PlanDescription, values: Values): string {
  // At the top there is always an operator.
  const root =
    description.kind === 'condition'
      ? ({ kind: 'and', parts: [description] } as const)
      : description;
  const simplified = JSON.stringify(itemOf(root, values));
  return `"__queryPlan":${simplified},"__extendedQueryPlan":${jsonText(extendedNode(root, values))},`;
}

/** The simplified plan with `?` for each value. @param parameters how many the request has */
export function hiddenPlan(description: PlanDescription, parameters: number): string {
  const hidden: Literal = { value: '?', class: 'text', within: 'filter', position: 1 };
  return JSON.stringify(itemOf(description, Array<Literal>(parameters).fill(hidden)));
}

/** The measured steps of a query (DECISIONS, "`$querypath`"), as such a field; times are milliseconds. */
export function queryPathField(steps: readonly QueryStep[]): string {
  return `"__queryPath":${JSON.stringify({ steps: steps.map(stepObject) })},`;
}

/** The SQL text of a query and the engine's plans, if any, as such fields. */
export function sqlFields(
  statements: readonly PlannedStatement[],
  plans: readonly EnginePlan[] | null,
): string {
  const sql = statements.map(({ role, path, statement: { text } }) => ({
    role,
    ...pathField(path),
    text,
  }));
  const own = `"__sql":${JSON.stringify(sql)},`;
  if (plans === null) return own;
  const told = plans.map(({ statement: { role, path }, json }) => {
    const head = JSON.stringify({ role, ...pathField(path) });
    return `${head.slice(0, -1)},"plan":${json}}`;
  });
  return `${own}"__enginePlan":[${told.join(',')}],`;
}

/** Adds fields to the beginning of an answer, unless it is not an object, such as null for no entity. */
export function withFields(answer: string, fields: string): string {
  return answer.startsWith('{') ? `{${fields}${answer.slice(1)}` : answer;
}

function pathField(path: PlannedStatement['path']): { readonly path?: string } {
  if (path.length === 0) return {};
  return { path: path.map(({ field, dataclass }) => field ?? dataclass).join('.') };
}

function stepObject({ description, milliseconds, rows, steps }: QueryStep): object {
  return {
    description,
    time: Math.round(milliseconds * 1000) / 1000,
    recordsfounds: rows,
    steps: steps.map(stepObject),
  };
}

/** The simplified form of §2.6. */
function itemOf(node: PlanDescription, values: Values): object {
  if (node.kind !== 'condition') {
    return { [OPERATOR_NAMES[node.kind]]: node.parts.map((part) => itemOf(part, values)) };
  }
  const value = shownValue(givenValue(node.value, values));
  const item = `${node.table}.${node.field} ${writtenComparator(node.comparator)} ${value}`;
  return node.joins.length === 0 ? { item } : { item: joinText(node.joins), subquery: [{ item }] };
}

function joinText(joins: readonly DescribedJoin[]): string {
  const pairs = joins.map(
    ({ leftTable, leftField, rightTable, rightField }) =>
      `${leftTable}.${leftField ?? '?'} = ${rightTable}.${rightField ?? '?'}`,
  );
  return `Join on Table : ${joins.at(-1)?.rightTable ?? ''}  :  ${pairs.join(', ')}`;
}

function extendedNode(node: PlanDescription, values: Values): JsonObject {
  if (node.kind === 'condition') return conditionNode(node, values);
  return {
    type: 'LogicOperatorNode',
    logicOper: OPERATOR_NAMES[node.kind],
    parts: node.parts.map((part) => extendedNode(part, values)),
  };
}

function conditionNode(condition: DescribedCondition, values: Values): JsonObject {
  const { joins, field, table, instance, comparator, value } = condition;
  const filter = {
    type: 'SeqNode',
    field,
    table,
    instance,
    oper: writtenComparator(comparator),
    value: givenValue(value, values),
  };
  const [first] = joins;
  const last = joins.at(-1);
  if (first === undefined || last === undefined) return filter;
  return {
    type: 'JoinNode',
    table: first.leftTable,
    targetTable: last.rightTable,
    instance: last.rightInstance,
    joinPath: joins.map((join) => ({ ...join })),
    filter,
  };
}

/** The client's value in a type of JSON: the items of a list, the id of an entity set. */
type Given = string | boolean | null | Digits | readonly Given[];

function givenValue(value: DescribedValue, values: Values): Given {
  switch (value.kind) {
    case 'true':
      return true;
    case 'parameter':
      return given(literalOf(value.parameter, values));
    case 'keys': {
      const keys = value.keys.map((parts) => {
        const all = parts.map((parameter) => given(literalOf(parameter, values)));
        return all.length === 1 ? (all[0] ?? null) : all;
      });
      return keys.length === 1 ? (keys[0] ?? null) : keys;
    }
  }
}

function given({ value, class: kind }: Literal): Given {
  if (typeof value !== 'string') return value.map(given);
  switch (kind) {
    case 'null':
      return null;
    case 'boolean':
      return value.toLowerCase() === 'true';
    case 'number':
      // A double may not hold all its digits.
      return JSON_NUMBER.test(value) ? new Digits(value) : value;
    case 'word':
    case 'text':
    case 'wild':
    case 'noDate':
    case 'list':
      return value;
  }
}

/** A value as an item of the simplified plan shows it. */
function shownValue(value: Given): string {
  if (value instanceof Digits) return value.text;
  return typeof value === 'object' && value !== null
    ? `[${value.map(shownValue).join(', ')}]`
    : String(value);
}
