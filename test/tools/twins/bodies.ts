import { chance } from '../../fixtures/legacy/random.ts';

/** A dataclass as the catalog describes it. */
export interface Dataclass {
  readonly name: string;
  readonly attributes: readonly Attribute[];
}

type Attribute = Readonly<Record<'name' | 'kind' | 'type', string>> &
  Readonly<Partial<Record<'unique' | 'identifying' | 'readOnly' | 'autosequence', boolean>>>;

/** An entity as it is read. */
export type Entity = Readonly<Record<string, unknown>> & { readonly __STAMP: number };

/** The entities of each dataclass, in an order that is that of the other side, too. */
export type Rows = Readonly<Record<string, readonly Entity[]>>;

/** A request for both sides. {@link fill} writes its content, if there is any, out for each. */
export interface Body {
  /** What is counted of it. */
  readonly words: readonly string[];
  readonly path: string;
  readonly content: unknown;
  readonly isByClerk: boolean;
  /** A template of the key of an entity that another session has locked meanwhile, or null. */
  readonly locked: unknown;
}

/** Writes a template out: what is a function in it is made of what the side holds, so that each side is sent its own keys and stamps. */
export function fill(template: unknown, rows: Rows): unknown {
  if (typeof template === 'function') return fill((template as (of: Rows) => unknown)(rows), rows);
  if (Array.isArray(template)) return template.map((item) => fill(item, rows));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, it]) => [name, fill(it, rows)]));
}

const texts = '"p1","P1","p2","P3","p5","PE","p6 ","a","A","é","O\'N","xxxxx","{\\"x\\":1}"';
const numbers = '1,2,3,4,5,6,7,8,9,"10",11,12';
const uuid = '"00000000-0000-4000-8000-00000000000';

/** Values by type: those that attributes take, most of them, and those that they refuse. `hidden` and `bad`, `N` and 200 are what filters and triggers look for. */
const VALUES: Readonly<Record<string, readonly [good: string, bad: string]>> = {
  string: [`${texts},"N","N","S","hidden","loud","bad",null`, '"bad","bad","xxxxxxxxxxx",5,[],""'],
  long: [`${numbers},0,200`, 'null,-1,"x",2.5,3000000000,{}'],
  word: [`${numbers},null,99,100`, '40000,1.5,"x",true'],
  long64: ['1', '7,"x"'],
  number: ['0,1.5,"2.25",49,80,null', '-1,99999,1.005,1e-7,"x"'],
  date: ['"2018-01-01","31!12!2017","0!0!0",null', '"2018-02-30","x",5'],
  bool: ['true,false,1,"0"', 'null,"x",2'],
  uuid: [`${uuid}a",${uuid}A",${uuid}e"`, '"x",5,null'],
};

const isList = ({ kind }: Attribute): boolean => kind === 'relatedEntities';
const keyOf = (read: Entity | undefined): unknown => read?.['__KEY'];

/** Draws bodies, the same ones for the same seed and the same answers. @returns draws the next one for what one of the sides holds */
export function drawn(seed: number, model: readonly Dataclass[]): (rows: Rows) => Body {
  const { int, pick } = chance(seed);
  let rows: Rows = {};
  /** The share of the next body that is wrong on purpose. */
  let wrong = 0;
  const may = (share: number): boolean => int(0, 9999) < share * 10_000;
  const isWrong = (): boolean => may(wrong);
  const list = <Item>(length: number, item: (at: number) => Item): Item[] =>
    Array.from({ length }, (_, at) => item(at));

  /** The place of an entity in the rows, or null where there is none. */
  const existing = (name: string): number | null => {
    const count = Math.min(rows[name]?.length ?? 0, 12);
    return count === 0 ? null : int(0, count - 1);
  };

  /** A template of what a side makes of the entity at a place. */
  const held =
    (name: string, at: number | null, make: (read?: Entity) => unknown): unknown =>
    ({ [name]: all = [] }: Rows) =>
      make(all[at ?? -1]);

  /** Key and stamp of an entity: mostly as they are, else old, missing or of none. */
  const identity = (name: string, at = existing(name)): Record<string, unknown> => {
    if (at === null || isWrong()) return { __KEY: '77', __STAMP: 1 };
    const __KEY = held(name, at, keyOf);
    if (isWrong()) return { __KEY, ...pick([{}, { __STAMP: -1 }, { __STAMP: 'x' }]) };
    const age = wrong > 0 && may(0.15) ? 1 : 0;
    return { __KEY, __STAMP: held(name, at, (read) => (read?.__STAMP ?? 1) - age) };
  };

  /** An object for a new entity, for one that is there, or for one as it was read. @param depth how far below the body it stands */
  const element = (name: string, depth: number, newShare: number): unknown => {
    const at = existing(name);
    const isNew = at === null || may(newShare);
    const said = members(name, isNew, depth);
    if (isNew) return isWrong() ? { ...said, __STAMP: 1 } : said;
    if (may(0.12)) return held(name, at, (read) => ({ ...read, ...said }));
    return { ...identity(name, at), ...said };
  };

  const members = (of: string, isNew: boolean, depth: number): Record<string, unknown> => {
    const { attributes = [] } = model.find(({ name }) => name === of) ?? {};
    const said: Record<string, unknown> = isWrong() ? { [pick(['nothing', '__ISNEW'])]: 1 } : {};
    for (const attribute of attributes) {
      const { name, kind, type, readOnly = false, autosequence = false } = attribute;
      const isRelation = kind.startsWith('related');
      if (isList(attribute) ? depth > 1 : readOnly && !isWrong()) continue;
      const plain = /Id$|Code$/.test(name) ? 0.1 : isNew ? 0.8 : 0.4;
      const ofKey = isNew && !autosequence && type !== 'uuid' ? 0.95 : 0.04;
      if (!may(attribute.identifying === true ? ofKey : isRelation ? 0.3 / (1 + depth) : plain))
        continue;
      const from = JSON.parse(`[${VALUES[type]?.[isWrong() ? 1 : 0] ?? ''}]`) as unknown[];
      said[name] = isRelation ? related(attribute, depth) : pick(from);
    }
    return said;
  };

  /** What a relation is set to. */
  const related = (relation: Attribute, depth: number): unknown => {
    const target = relation.type.replace(/Selection$/, '');
    if (isList(relation)) {
      const items = list(int(0, 3), () => element(target, depth + 1, 0.4));
      return may(0.1) ? { __COUNT: items.length, __ENTITIES: items } : items;
    }
    const at = existing(target);
    if (isWrong()) return pick([999, 'zz', {}, [], true, { __KEY: '999' }]);
    if (may(0.15)) return null;
    const nested = depth < 2 ? element(target, depth + 1, 1) : null;
    if (at === null) return nested;
    const __KEY = held(target, at, keyOf);
    const whole = held(target, at, (read) => read);
    return pick([__KEY, { __KEY }, { __deferred: { __KEY } }, whole, nested]);
  };

  return (now) => {
    rows = now;
    wrong = pick([0, 0, 0, 0, 0.03, 0.15]);
    const isLarge = may(0.005);
    const { name, attributes } = pick(model.filter((it) => !isLarge || it.name === 'Task'));
    const kind = isLarge ? 'save' : pick(['filter', 'delete', ...list(18, () => 'save')]);
    const isSave = kind === 'save';
    const replaced = attributes.filter((it) => isList(it) && may(0.3)).map((it) => it.name);
    const shown = attributes.map((it) => (isList(it) ? `${it.name}.*` : it.name));
    const numeric = attributes.filter(({ type }) => /^(?:long|word|number)$/.test(type));
    const unique = attributes.filter((it) => it.unique === true).map((it) => it.name);
    const whole = attributes.filter((it) => it.identifying === true).map((it) => it.name);
    const isUpsert = isSave && may(0.12);
    const parameters = [
      `$method=${isSave ? pick([...list(30, () => 'update'), 'insert']) : 'delete'}`,
      ...(kind === 'filter' ? [`$filter="${pick(numeric).name}%3E${pick([5, 8, 90])}"`] : []),
      ...(isUpsert
        ? [`$key=${pick([...unique, ...unique, whole.join(), pick(attributes).name])}`]
        : []),
      ...(isSave && replaced.length > 0 ? [`$replace=${replaced.join()}`] : []),
      ...(isSave && may(0.4) ? [`$attributes=${shown.join()}`] : []),
      ...(may(0.25) ? ['$atomic=true'] : []),
      ...(may(0.06) ? ['$refresh=true'] : []),
    ];
    // More elements than one transaction saves, of which most are saved.
    const count = isLarge ? 1100 : pick([1, 1, 2, 2, 3, 4, 6, 20]);
    const drawOne = (): unknown => element(name, 0, isUpsert ? 0.8 : 0.35);
    const saved = (at: number): unknown => (at > 30 ? { id: at, effort: 3 } : drawOne());
    const content = list(count, isSave ? saved : () => identity(name));
    const isOne = count === 1 && may(0.7);
    const several = may(0.1) ? { __ENTITIES: content } : content;
    const isByClerk = may(0.25);
    const locked = may(0.12) ? held(name, existing(name), keyOf) : null;
    const counted = parameters.map((it) =>
      it.replace(/^(.(?:attributes|filter|key|replace))=.*/, '$1'),
    );
    return {
      ...{ path: `/rest/${name}?${parameters.join('&')}`, isByClerk, locked },
      content: kind === 'filter' ? undefined : isOne ? content[0] : several,
      words: [name, isOne ? 'one object' : `list of ${count}`, ...counted]
        .concat(isByClerk ? 'by a role' : [])
        .concat(locked === null ? [] : 'one is locked'),
    };
  };
}
