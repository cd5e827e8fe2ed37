import { chance } from '../../fixtures/legacy/random.ts';
import { parsed } from '../../rows.ts';

/** A request to both twins; `{S3}` in its URL is the id of an entity set that each of them has made. */
export interface Guess {
  readonly verb: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** By chance, which begins anew for each list of requests. */
let random = chance(0);

/** Makes requests, the same for the same seed. */
export function drawn(make: () => Guess, count: number, seed: number): Guess[] {
  random = chance(seed);
  return Array.from({ length: count }, make);
}

const pick = <Item>(...items: readonly Item[]): Item => random.pick(items);
/** A word of a text; one that stands there several times is drawn as often. */
const word = (text: string): string => pick(...text.split(' '));
/** What one of these makes. */
const oneOf = <Item>(...makers: readonly (() => Item)[]): Item => pick(...makers)();
const several = <Item>(least: number, most: number, make: () => Item): Item[] =>
  Array.from({ length: random.int(least, most) }, make);
const joined = (most: number, make: () => string): string => several(1, most, make).join(',');

interface Described {
  readonly attributes: readonly string[];
  /** The relations with what they lead to. */
  readonly relations: Readonly<Record<string, string>>;
  /** Names that are hidden, and names near to them. */
  readonly hidden: readonly string[];
}

/** What requests name. */
const dataclasses = parsed<Readonly<Record<string, Described>>>(`
Country: {attributes: [id, code, name], relations: {people: Person, tasks: Task}, hidden: [tenant, tenan, ver]}
Person: {attributes: [id, email, name, grade, mentorId, double, share, countryCode, mentorName],
  relations: {country: Country, mentor: Person, mentored: Person, owned: Task, memberships: Member, tasks: Task, notes: Note, drafts: Draft},
  hidden: [salary, secret, bossId, tenant, yearly, bossName, salry, secrets, boss.name, reports.id, ledgers.amount, bos, ledger.amount, boss, reports,
    deputy.name, deputyName, deputed.id, deputed]}
Task: {attributes: [id, title, land, ownerName, ownerCountry], relations: {owner: Person, place: Country, members: Member, people: Person},
  hidden: [owner_id, owner.salary]}
Member: {attributes: [personId, taskId, duty], relations: {person: Person, task: Task}, hidden: [tenant, person.boss.name]}
Note: {attributes: [id, words], relations: {person: Person}, hidden: [tenant, tenants]}
Draft: {attributes: [id, words], relations: {person: Person}, hidden: [person.secret]}
Ledger: {attributes: [id, amount], relations: {person: Person}, hidden: [id]}
`);
const describedOf = (name: string): Described =>
  dataclasses[name] ?? { attributes: ['id'], relations: {}, hidden: ['id'] };

const dataclass = (): string =>
  word(
    'Country Country Person Person Person Person Person Person Task Task Task Task Member Member Note Note Note Draft Ledger',
  );

/** The number of a row that is seen, that is hidden, or that is not there. */
const id = (): number => (random.oneIn(9) ? pick(42, 99, 100, 101, 102, 103) : random.int(1, 9));
const keyOf = (name: string): string => (name === 'Member' ? `${id()};${id()}` : String(id()));

const NUMBERS = '0 1 2 3 5 9 10 80 900 -20 1.5 null';
const TEXTS = 'Ann Ben Bob B@ @n@ FR SU Z@ x a null "ben@x" bob@x two one o@ away Union';
const ARE_TEXTS = /(?:name|email|code|title|land|words|duty|secret\w*|Name|Code|Country)$/;

type End = 'attributes' | 'relations';

/** A path of names from a dataclass, which ends in an attribute, in a relation, or in what is hidden. */
function path(name: string, depth: number, end: End): string {
  return random.oneIn(41) ? pick(...describedOf(name).hidden) : seenPath(name, depth, end);
}

function seenPath(name: string, depth: number, end: End): string {
  const { attributes, relations } = describedOf(name);
  const names = Object.keys(relations);
  if (depth === 0 || random.int(1, 5) <= 2) {
    return pick(...(end === 'attributes' ? attributes : names));
  }
  const own = pick(...names);
  return `${own}.${seenPath(relations[own] ?? name, depth - 1, end)}`;
}

function condition(name: string): string {
  switch (random.int(1, 7)) {
    case 1:
      return `${path(name, 2, 'relations')} ${pick('=', '!=')} null`;
    case 2:
      return `${path(name, 2, 'attributes')} IN [${several(1, 4, id).join(', ')}]`;
    default: {
      const own = path(name, 3, 'attributes');
      const isText = ARE_TEXTS.test(own);
      const sign = word(isText ? '= != < >= begin % ===' : '= != < > <= >=');
      const value = word(isText ? TEXTS : NUMBERS);
      const isNull = value === 'null' && !['=', '!='].includes(sign);
      return isNull ? `${own} != null` : `${own} ${sign} ${value}`;
    }
  }
}

function filter(name: string): string {
  const one = (): string => (random.oneIn(4) ? `not(${condition(name)})` : condition(name));
  const more = several(0, 2, () => `${word('AND OR EXCEPT')} ${one()}`);
  return [one(), ...more].join(' ');
}

const quoted = (text: string): string => `"${text.replaceAll('"', String.raw`\u0022`)}"`;
const setId = (): string => `{S${random.int(0, 30)}}`;
const operator = (): string => word('AND OR EXCEPT INTERSECT');

type Parameters = Readonly<Record<string, () => string>>;

/** Parameters, each there or not, and what always stands behind them. */
function query(parts: Parameters, end = ''): string {
  const given = Object.entries(parts).flatMap(([name, make]) =>
    random.oneIn(2) ? [`${name}=${make()}`] : [],
  );
  const all = [...given, end].filter((text) => text !== '');
  return all.length === 0 ? '' : `?${all.join('&')}`;
}

/** What a path selects, with the dataclass of that. */
function selection(): readonly [path: string, dataclass: string] {
  const name = dataclass();
  const keyed = (): string => `${name}(${keyOf(name)})`;
  const kind = random.int(1, 12);
  if (kind === 1) return [`Person:email('${word('ann@x ben@x bob@x no@x')}')`, 'Person'];
  if (kind <= 3) {
    const relations = Object.entries({ ...describedOf(name).relations, boss: 'Person' });
    const [own, target] = pick(...relations);
    return [`${keyed()}/${own}`, target];
  }
  const own = (): string => name;
  const keys = (): string => `${name}(${several(2, 4, () => keyOf(name)).join(',')})`;
  const set = (): string => `${name}/$entityset/${setId()}`;
  return [oneOf(own, own, own, own, own, keyed, keys, set, set), name];
}

const get = (text: string): Guess => ({ verb: word('GET GET GET GET HEAD'), path: text });

/** A read of what a path selects, by what stands behind it. */
function selected(rest: (name: string) => string): Guess {
  const [text, name] = selection();
  return get(text + rest(name));
}

const order = (name: string): string =>
  joined(2, () => path(name, 2, 'attributes') + pick('', ' desc'));
const list = (name: string, end: End): string =>
  joined(3, () => (random.oneIn(2) ? path(name, 2, end) : `${path(name, 1, 'relations')}.*`));
const small = (): string => String(random.int(0, 7));
const common = (name: string): Parameters => ({
  $filter: () => quoted(filter(name)),
  $orderby: () => quoted(order(name)),
});
const paged = (name: string): Parameters => ({ ...common(name), $top: small });

const read = (): Guess =>
  selected((name) =>
    query({ ...paged(name), $skip: small, $attributes: () => list(name, 'attributes') }),
  );
const expanded = (): Guess =>
  selected((name) =>
    query({
      $filter: () => quoted(filter(name)),
      $expand: () => list(name, 'relations'),
      $limit: small,
      $format: () => word('csv ndjson json'),
      $asArray: () => 'true',
    }),
  );
const plan = (): Guess => selected((name) => query(paged(name), '$queryplan=true&$querypath=true'));

function computed(): Guess {
  const [text, name] = selection();
  const own = path(name, 2, 'attributes');
  const what = word('$compute=$all $compute=count $compute=sum $distinct=true');
  const rest = query(paged(name), what);
  return get(
    text.includes('$entityset') ? text.replace('/', `/${own}/`) + rest : `${text}/${own}${rest}`,
  );
}

const aggregate = (name: string): string =>
  random.oneIn(2)
    ? 'count'
    : `${word('count distinct sum avg min max')}(${path(name, 2, 'attributes')})`;
const groups = (): Guess =>
  selected((name) =>
    query({
      $filter: () => quoted(filter(name)),
      $groupby: () =>
        joined(2, () => path(name, 2, 'attributes') + pick('', '', ':year', ':step(10)')),
      $aggregate: () => joined(3, () => aggregate(name)),
      $having: () => `"${aggregate(name)} > 1"`,
      $orderby: () => `"${aggregate(name)} desc"`,
      $queryplan: () => 'true',
    }),
  );

const set = (): Guess =>
  selected((name) =>
    query({
      ...paged(name),
      $logicOperator: operator,
      $otherCollection: setId,
      $findKey: () => keyOf(name),
      $savedfilter: () => quoted(filter(name)),
      $clean: () => 'true',
      $method: () => word('entityset entityset subentityset release'),
    }),
  );
const madeSet = (): Guess => selected((name) => query(common(name), '$method=entityset'));
const combined = (): Guess =>
  get(
    `${word('Person Note Task')}/$entityset/${setId()}?$logicOperator=${operator()}&$otherCollection=${setId()}`,
  );
const catalog = (): Guess =>
  get(
    word(
      '$info $openapi $stamp $catalog $catalog/$all $catalog/Ledger $catalog/Person $catalog/Person,Ledger',
    ),
  );
function lock(): Guess {
  const name = dataclass();
  const rest = `$lock=${pick('true', 'false')}${pick('', '&__STAMP=1', '&__STAMP=2')}`;
  return { verb: 'GET', path: `${name}(${keyOf(name)})?${rest}` };
}

/** A request that changes nothing but entity sets and locks. */
export function reading(): Guess {
  const often = [expanded, computed, groups].flatMap(
    (make) => Array(4).fill(make) as (typeof make)[],
  );
  const most = Array(6).fill(read) as (typeof read)[];
  return oneOf(...most, ...often, plan, plan, set, set, madeSet, combined, catalog, lock);
}

const stamp = (): number | undefined =>
  pick<number | undefined>(undefined, undefined, undefined, 1, 2, 3, -1, 12_345);
function reference(): unknown {
  const key = id();
  const deferred = { __deferred: { uri: `/rest/Person(${key})`, __KEY: String(key) } };
  return pick<unknown>(null, key, String(key), { __KEY: String(key) }, deferred);
}

type Fields = Readonly<Record<string, unknown>>;

const optional = (parts: Readonly<Record<string, () => unknown>>): Fields =>
  Object.fromEntries(
    Object.entries(parts).flatMap(([name, make]) => (random.oneIn(2) ? [[name, make()]] : [])),
  );

/** What is saved of an entity, besides its key. */
const fieldsOf: Readonly<Record<string, Readonly<Record<string, () => unknown>>>> = {
  Country: { name: () => pick('New', 'Italy', null), tenant: () => pick(1, 2) },
  Person: {
    name: () => pick('Ann', 'Gil', null),
    grade: () => pick<number | string | null>(1, 4, 49, 95, 100, null, 'x'),
    mentorId: () => pick(id(), null),
    ...{ mentor: reference, country: reference, double: () => 2, mentorName: () => 'Ben' },
  },
  Task: {
    ...{ title: () => pick('t', 'u', null), owner: reference, ownerName: () => 'Ben' },
    ...{ land: () => pick('FR', 'SU', 'ZZ', 'QQ', null), place: reference },
  },
  Member: { duty: () => pick('x', 'y', null), person: reference },
  Note: {
    words: () => pick('one', 'away', 'two', null),
    ...{ person: reference, tenant: () => pick(1, 2) },
  },
};

/** Names that the role does not have. */
const hiddenFields = {
  ...{ salary: () => pick(1, 900), secret: () => 'h', boss: reference, bossId: id },
  ...{ tenant: () => 2, reports: () => [{ __KEY: 2 }], ledgers: () => [] },
};

/** Some fields of an entity, in one of ten with some that are hidden. */
const given = (name: string): Fields => ({
  ...optional(fieldsOf[name] ?? {}),
  ...(random.oneIn(10) ? optional(hiddenFields) : {}),
});

const keyIn = (name: string): unknown =>
  name === 'Member' ? JSON.stringify({ personId: id(), taskId: id() }) : id();

/** An entity that is changed, which may be a hidden one. */
const change = (name: string): Fields => ({
  ...{ __KEY: keyIn(name), __STAMP: stamp(), ...given(name) },
});

/** An entity with a key that nothing in either database has at first, and of what has to be unique nothing is taken by a hidden one. */
function creation(name: string): Fields {
  const own = random.int(100, 160);
  const keys: Readonly<Record<string, object>> = {
    Country: { id: own, code: `c${own}` },
    Person: { id: own, email: `${own}@x` },
    Member: { taskId: own, personId: pick(1, 3, 4, 6, 8) },
  };
  return { ...given(name), ...(keys[name] ?? { id: own }) };
}

const changedOrNew = (name: string): Fields => (random.oneIn(4) ? creation(name) : change(name));

const post = (text: string, body: unknown): Guess => ({
  ...{ verb: 'POST', path: text, body: JSON.stringify(body) },
});

function save(): Guess {
  const name = word('Country Person Person Task Task Member Note');
  const entities = several(1, 3, () => changedOrNew(name));
  const rest = word(
    '? ? ? ?$atomic=true ?$method=update&$refresh=true ?$method=update ?$attributes=* ?$expand=mentor,owner,person ?$attributes=mentor.name,owner.name',
  );
  return post(name + (rest === '?' ? '' : rest), entities.length === 1 ? entities[0] : entities);
}

/** Saves something along with an entity. */
function nestedSave(): Guess {
  const [name = '', relation = '', target = ''] = word(
    'Person.notes.Note Person.owned.Task Person.mentored.Person Task.members.Member Country.people.Person Task.owner.Person',
  ).split('.');
  const parameters = [
    pick('', `$replace=${relation}`),
    pick('', '$atomic=true', '$method=update&$refresh=true'),
  ];
  const value = relation === 'owner' ? creation(target) : several(0, 3, () => changedOrNew(target));
  const rest = parameters.filter((text) => text !== '').join('&');
  return post(`${name}(${id()})?${rest}`, { [relation]: value });
}

/** Nothing that is saved here stays; so it may collide with what is hidden. */
export function colliding(): Guess {
  const [name, body] = oneOf<readonly [string, object]>(
    () => {
      const fields = optional(fieldsOf['Person'] ?? {});
      return ['Person', { ...fields, id: id(), email: word('ann@x ben@x bob@x new@x') }];
    },
    () => {
      const email = word('ann@x ben@x bob@x');
      return ['Person', { __KEY: pick(1, 3, 4, 6, 8), email, id: pick(id(), undefined) }];
    },
    () => ['Country', { id: id(), code: word('FR SU ZZ NEW') }],
    () => ['Member', { personId: id(), taskId: id(), duty: 'n' }],
    () => ['Note', { id: id(), words: 'n' }],
  );
  return post(`${name}?$method=update&$refresh=true`, body);
}

function removal(): Guess {
  const name = word('Person Task Note Member Country');
  // Together with something that is always there, so that not all goes at once.
  const bound = `${name === 'Member' ? 'taskId' : 'id'} > 6`;
  return oneOf(
    () => ({ verb: 'DELETE', path: `${name}(${joined(2, () => keyOf(name))})` }),
    () => post(`${name}?$method=delete`, [{ __KEY: keyIn(name), __STAMP: stamp() }]),
    () => ({
      verb: 'POST',
      path: `${name}?$filter="${bound} AND (${condition(name).replaceAll('"', '')})"&$method=delete`,
    }),
  );
}

/** Reads or writes on condition: of tags, none is that of an answer but by `*`. */
function conditional(): Guess {
  if (random.oneIn(2)) {
    const headers = { [word('if-match if-none-match')]: word('* "1" W/"2" "2.x"') };
    return { ...read(), verb: 'GET', headers };
  }
  const [name, body] = pick<readonly [string, object]>(
    ...([
      ['Person', { grade: 4 }],
      ['Note', { words: 'p' }],
      ['Task', { title: 'p' }],
    ] as const),
  );
  const headers = { 'if-match': word('"1" "2" "12345" * W/"1.x"') };
  return { ...post(`${name}(${id()})`, body), verb: 'PUT', headers };
}

/** Asks for something in a way that may not be there. */
function otherVerb(): Guess {
  const [text] = selection();
  const rest = pick('', '/salary', '/secret?$binary=true', '/name', '/reports', '/ledgers');
  return { verb: word('OPTIONS PUT PATCH POST'), path: text + rest, body: '{}' };
}

/** A request that writes. */
export function writing(): Guess {
  const saves = [save, save, save, save, save, nestedSave, nestedSave, nestedSave];
  return oneOf(...saves, conditional, conditional, read, read, removal, otherVerb, lock);
}
