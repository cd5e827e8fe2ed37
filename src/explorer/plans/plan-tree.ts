import { isObject, type Json, type JsonObject, objectsIn, plainText } from '../rest/json.ts';

/** A node of a plan as it is drawn. */
export interface PlanNode {
  readonly title: string;
  /** What else is known of it, such as "2 rows". */
  readonly facts: readonly string[];
  /** Its part of what the whole tree takes, from 0 to 1; null where that is not known. */
  readonly share: number | null;
  readonly children: readonly PlanNode[];
}

/** A statement that a request may come to. */
export interface PlannedStatement {
  readonly title: string;
  readonly text: string;
}

/** All that a request's answer tells of its plan. */
export interface RequestPlan {
  /** The condition in the names of the API. */
  readonly query: PlanNode | null;
  /** The statements that ran, with what they took. */
  readonly steps: readonly PlanNode[];
  /** The SQL; empty where the user may not see it. */
  readonly statements: readonly PlannedStatement[];
  /** What the engine expects to do for each statement. */
  readonly engine: readonly { readonly title: string; readonly plan: PlanNode }[];
}

/** Reads the plan of an answer to `$queryplan=true&$querypath=true` (docs/reference/query-plans.md). */
export function readPlan(answer: Json): RequestPlan {
  const body = isObject(answer) ? answer : {};
  const path = body['__queryPath'];
  const steps = objectsIn(isObject(path) ? path['steps'] : null);
  const total = steps.reduce((sum, step) => sum + timeOf(step), 0);
  return {
    query: isObject(body['__queryPlan']) ? queryNode(body['__queryPlan']) : null,
    steps: steps.map((step) => stepNode(step, total)),
    statements: objectsIn(body['__sql']).map((statement) => ({
      title: titleOf(statement),
      text: plainText(statement['text']),
    })),
    engine: objectsIn(body['__enginePlan']).flatMap((planned) => {
      const [root] = objectsIn(planned['plan']).map((plan) => plan['Plan']);
      if (!isObject(root)) return [];
      return [{ title: titleOf(planned), plan: engineNode(root, costOf(root)) }];
    }),
  };
}

/** `And`, `Or`, `Not` and `Except` hold conditions; a join holds those on what it leads to. */
function queryNode(node: JsonObject): PlanNode {
  const { item, subquery } = node;
  if (typeof item === 'string') return plain(item, objectsIn(subquery).map(queryNode));
  const [operator] = Object.entries(node);
  if (operator === undefined) return plain('', []);
  const conditions = objectsIn(operator[1]).map(queryNode);
  return plain(
    conditions.length === 0 && operator[0] === 'And' ? 'All entities' : operator[0],
    conditions,
  );
}

function plain(title: string, children: readonly PlanNode[]): PlanNode {
  return { title, facts: [], share: null, children };
}

function stepNode(step: JsonObject, total: number): PlanNode {
  const rows = step['recordsfounds'];
  const time = step['time'];
  const isKnown = time !== null && time !== undefined;
  return {
    title: plainText(step['description']),
    facts: [
      isKnown ? `${plainText(time)} ms` : 'failed, and was tried again',
      ...(rows === null || rows === undefined ? [] : [countOf(rows)]),
    ],
    share: isKnown && total > 0 ? Math.min(1, timeOf(step) / total) : null,
    children: objectsIn(step['steps']).map((child) => stepNode(child, total)),
  };
}

/** What PostgreSQL expects of a node (https://www.postgresql.org/docs/current/using-explain.html). */
function engineNode(node: JsonObject, total: number): PlanNode {
  const children = objectsIn(node['Plans']);
  const own = costOf(node) - children.reduce((sum, child) => sum + costOf(child), 0);
  const on = plainText(node['Relation Name']);
  const index = plainText(node['Index Name']);
  const conditions = CONDITIONS.map((name) => plainText(node[name])).filter((text) => text !== '');
  return {
    title: `${plainText(node['Node Type'])}${on === '' ? '' : ` on ${on}`}${index === '' ? '' : ` by ${index}`}`,
    facts: [`cost ${plainText(node['Total Cost'])}`, countOf(node['Plan Rows']), ...conditions],
    share: total > 0 ? Math.max(0, Math.min(1, own / total)) : null,
    children: children.map((child) => engineNode(child, total)),
  };
}

/** Names of PostgreSQL's for what a node compares. */
const CONDITIONS = [
  'Index Cond',
  'Hash Cond',
  'Merge Cond',
  'Recheck Cond',
  'Join Filter',
  'Filter',
];

function titleOf({ role, path }: JsonObject): string {
  const behind = plainText(path);
  return behind === '' ? plainText(role) : `${plainText(role)} ${behind}`;
}

function countOf(rows: Json | undefined): string {
  const text = plainText(rows);
  return text === '1' ? '1 row' : `${text} rows`;
}

function timeOf(step: JsonObject): number {
  return Number(plainText(step['time']));
}

function costOf(node: JsonObject): number {
  return Number(plainText(node['Total Cost']));
}
