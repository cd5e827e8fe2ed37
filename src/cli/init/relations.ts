import type { RelationSetting } from '../../config/mapping.ts';
import type { Candidates } from '../../model/naming.ts';
import { qualifiedName, type Column, type ForeignKey, type Table } from '../../schema/types.ts';
import { isAuthor, isBookkeeping, isTenant } from './bookkeeping.ts';
import type { InitContext } from './context.ts';
import { type Draft, headColumns } from './draft.ts';
import { shownByRelation } from './exposure.ts';
import { mentionsForeignKey } from './mentions.ts';
import { namingPair } from './namer.ts';

const SUPERIORS: ReadonlySet<string> = new Set(
  'boss chief head lead manager superior supervisor'.split(' '),
);

/** A foreign key with a relation of this run. */
interface Link {
  readonly owner: Draft;
  readonly target: Draft;
  readonly foreignKey: ForeignKey;
  /** The name of the relation to one. */
  readonly name: string;
  /** The name of the inverse, or null where the target's file leaves its relations to be derived. */
  back: string | null;
}

/** Adds the relations of the foreign keys: to one, their inverses, and paths over pure link tables. */
export function addRelations(drafts: readonly Draft[], context: InitContext): void {
  const byTable = new Map(drafts.map((draft) => [qualifiedName(draft.table), draft]));
  const links = drafts.flatMap((owner) => newLinks(owner, byTable, context));
  for (const link of links) addInverse(link, links, context);
  for (const draft of drafts) addThrough(draft, links, context);
}

function newLinks(owner: Draft, byTable: ReadonlyMap<string, Draft>, context: InitContext): Link[] {
  const seen = new Set<string>();
  return owner.table.foreignKeys.flatMap((foreignKey): Link[] => {
    const { targetSchema: schema, targetTable: name } = foreignKey;
    const targetName = qualifiedName({ schema, name });
    const target = byTable.get(targetName);
    const isNew =
      owner.source === null ||
      (!mentionsForeignKey(owner.source, foreignKey, context.index.fold) &&
        (target?.source === null || context.isNewIn(owner.table, 'foreignKeys', foreignKey.name)));
    if (!isNew) return linkBefore(owner, target, foreignKey);
    const what = foreignKeyId(owner, foreignKey);
    if (target === undefined) {
      context.leaveOut(what, `it refers to ${targetName}, which no file maps`);
      return [];
    }
    const columns = `${targetName}\n${foreignKey.columns.join('\n')}`;
    if (seen.has(columns)) {
      context.leaveOut(what, 'another foreign key has the same columns and target');
      return [];
    }
    seen.add(columns);
    const shown = shownByRelation(owner, target, foreignKey, context.index.fold);
    if (shown !== null) {
      context.leaveOut(what, `the relation would show ${shown}, whose attribute is not exposed`);
      return [];
    }
    const setting = { to: target.dataclass, foreignKey: foreignKey.name };
    const candidates = toOneNames(owner, target, foreignKey, context);
    const relation = add(owner, candidates, setting, [what]);
    return [{ owner, target, foreignKey, name: relation, back: null }];
  });
}

/** Returns a relation that a file has already, where its target comes back and needs the inverse. */
function linkBefore(owner: Draft, target: Draft | undefined, foreignKey: ForeignKey): Link[] {
  if (target?.source !== null) return [];
  const name = nameBefore(owner, { to: target.dataclass, foreignKey: foreignKey.name });
  return name === null ? [] : [{ owner, target, foreignKey, name, back: null }];
}

/** Names a relation by the role of its column (`BILL_TO` → `billTo`), or by its target. */
function toOneNames(
  owner: Draft,
  target: Draft,
  foreignKey: ForeignKey,
  { namer }: InitContext,
): Candidates {
  const { columns } = foreignKey;
  const one = namer.one(namer.nameWords(target.dataclass));
  const pair = namingPair(foreignKey, owner.table);
  const role = namer.roleWords(pair?.column ?? columns.at(-1) ?? '');
  const byTarget: Candidates = [namer.member(one), namer.member([...role, ...one])];
  if (pair === null) return byTarget;
  const says =
    role.length < namer.columnWords(pair.column).length ||
    pair.column.toLowerCase() !== pair.target.toLowerCase();
  return says ? [namer.member(role), ...byTarget] : byTarget;
}

function addInverse(link: Link, links: readonly Link[], context: InitContext): void {
  const { owner, target, foreignKey, name } = link;
  if (target.source !== null && target.source.mapping.relations === undefined) return;
  const { namer } = context;
  const many = namer.many(namer.nameWords(owner.dataclass));
  const qualified = namer.member([...namer.nameWords(name), ...many]);
  const twins = links.filter((other) => other.owner === owner && other.target === target);
  const plain = namer.member(owner === target ? selfInverse(namer.nameWords(name), many) : many);
  const candidates: Candidates = [twins.length > 1 ? qualified : plain, qualified];
  const setting = { inverse: `${owner.dataclass}.${name}` };
  const before = nameBefore(target, setting);
  link.back = before ?? add(target, candidates, setting, [foreignKeyId(owner, foreignKey)]);
}

/** Names that of `reportsTo` `reports`, of `parentCategory` `childCategories`, of `manager` `reports`, and others `subEmployees`. */
function selfInverse(role: readonly string[], many: readonly string[]): readonly string[] {
  const [first = '', ...rest] = role.map((word) => word.toLowerCase());
  if (rest.at(-1) === 'to') return role.slice(0, -1);
  if (SUPERIORS.has(first) && rest.length === 0) return ['reports'];
  if (first !== 'parent') return ['sub', ...many];
  return rest.length === 0 ? ['children'] : ['child', ...many];
}

/** Adds paths over a table that has only two foreign keys and bookkeeping, from each side to the other. */
function addThrough(draft: Draft, links: readonly Link[], context: InitContext): void {
  const sides = sidesOf(draft.table);
  if (draft.table.kind === 'view' || sides.length !== 2 || !isPureLink(draft)) return;
  const [one, other, ...more] = links.filter(
    ({ owner, foreignKey }) => owner === draft && sides.includes(foreignKey),
  );
  if (one === undefined || other === undefined || more.length > 0) return;
  const { namer } = context;
  const keys = [one, other].map(({ owner, foreignKey }) => foreignKeyId(owner, foreignKey));
  for (const from of [one, other]) {
    const to = from === one ? other : one;
    if (from.back === null) continue;
    const setting = { through: [from.back, to.name] };
    if (nameBefore(from.target, setting) !== null) continue;
    const role = namer.member(namer.many(namer.nameWords(to.name)));
    const target = namer.member(namer.many(namer.nameWords(to.target.dataclass)));
    add(from.target, from.target === to.target ? [role, target] : [target, role], setting, keys);
  }
}

/** Returns the foreign keys that are not bookkeeping: neither the author, nor, beside two others, the tenant. */
function sidesOf({ columns, foreignKeys }: Table): readonly ForeignKey[] {
  const isAll = (foreignKey: ForeignKey, test: (column: Column) => boolean): boolean =>
    foreignKey.columns.every((name) =>
      columns.some((column) => column.name === name && test(column)),
    );
  const sides = foreignKeys.filter((foreignKey) => !isAll(foreignKey, isAuthor));
  return sides.length <= 2 ? sides : sides.filter((foreignKey) => !isAll(foreignKey, isTenant));
}

/** Returns the name of a relation that a file has already: its other end may have been removed, and comes back. */
function nameBefore({ source }: Draft, setting: RelationSetting): string | null {
  const wanted = JSON.stringify(setting);
  const relations = Object.entries(source?.mapping.relations ?? {});
  const found = relations.find(
    ([, relation]) => JSON.stringify({ ...relation, description: undefined }) === wanted,
  );
  return found?.[0] ?? null;
}

function isPureLink(draft: Draft): boolean {
  const { table } = draft;
  const bookkeeping = headColumns(draft);
  const linked = new Set(table.foreignKeys.flatMap(({ columns }) => columns));
  return table.columns.every(
    (column) =>
      linked.has(column.name) ||
      column.identity ||
      bookkeeping.includes(column.name) ||
      isBookkeeping(column),
  );
}

function add(
  { relations, taken }: Draft,
  candidates: Candidates,
  setting: RelationSetting,
  foreignKeys: readonly string[],
): string {
  const name = taken.claim(...candidates);
  relations.set(name, { setting, foreignKeys });
  return name;
}

function foreignKeyId({ table }: Draft, { name }: ForeignKey): string {
  return `${qualifiedName(table)}, foreign key ${name}`;
}
