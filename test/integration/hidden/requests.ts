import fc, { type Arbitrary } from 'fast-check';
import { parsed } from '../../rows.ts';

/** A request to both twins; `{S3}` in its URL is the id of an entity set that each of them has made. */
export interface Guess {
  readonly verb: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

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
  relations: {country: Country, mentor: Person, mentored: Person, owned: Task, memberships: Member, tasks: Task, notes: Note},
  hidden: [salary, secret, bossId, tenant, yearly, bossName, salry, secrets, boss.name, reports.id, ledgers.amount, bos, ledger.amount, boss, reports]}
Task: {attributes: [id, title, land, ownerName, ownerCountry], relations: {owner: Person, place: Country, members: Member, people: Person},
  hidden: [owner_id, owner.salary]}
Member: {attributes: [personId, taskId, duty], relations: {person: Person, task: Task}, hidden: [tenant, person.boss.name]}
Note: {attributes: [id, words], relations: {person: Person}, hidden: [tenant, tenants]}
Ledger: {attributes: [id, amount], relations: {person: Person}, hidden: [id]}
`);
const describedOf = (name: string): Described =>
  dataclasses[name] ?? { attributes: ['id'], relations: {}, hidden: ['id'] };

const from = <Item>(...items: readonly Item[]): Arbitrary<Item> => fc.constantFrom(...items);
/** Items that stand in a text; one that stands there several times is drawn as often. */
const words = (text: string): Arbitrary<string> => from(...text.split(' '));
const some = <Item>(of: Arbitrary<Item>, maxLength: number): Arbitrary<Item[]> =>
  fc.array(of, { minLength: 1, maxLength });
const joined = (of: Arbitrary<string>, maxLength: number): Arbitrary<string> =>
  some(of, maxLength).map((items) => items.join(','));

const dataclass = words(
  'Country Country Person Person Person Person Person Person Task Task Task Task Member Member Note Note Note Ledger',
);

/** Keys of rows that are seen, that are hidden, and that are not there. */
const id = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 9 }) },
  from(42, 99, 100, 101, 102, 103),
);
const keyOf = (name: string): Arbitrary<string> =>
  name === 'Member' ? fc.tuple(id, id).map((pair) => pair.join(';')) : id.map(String);

const numbers = words('0 1 2 3 5 9 10 80 900 -20 1.5 null');
const texts = words('Ann Ben Bob B@ @n@ FR SU Z@ x a null "ben@x" bob@x two one o@ away Union');

/** A path of names from a dataclass, which ends in an attribute, in a relation, or in what is hidden. */
function path(name: string, depth: number, end: 'attributes' | 'relations'): Arbitrary<string> {
  const seen = { weight: 40, arbitrary: seenPath(name, depth, end) };
  return fc.oneof(seen, { weight: 1, arbitrary: from(...describedOf(name).hidden) });
}

function seenPath(name: string, depth: number, end: 'attributes' | 'relations'): Arbitrary<string> {
  const { attributes, relations } = describedOf(name);
  const names = Object.keys(relations);
  if (names.length === 0) return from(...attributes);
  const last = from(...(end === 'attributes' ? attributes : names));
  if (depth === 0) return last;
  const further = from(...Object.entries(relations)).chain(([own, target]) =>
    seenPath(target, depth - 1, end).map((rest) => `${own}.${rest}`),
  );
  return fc.oneof({ weight: 2, arbitrary: last }, { weight: 3, arbitrary: further });
}

const TEXTS = /(?:name|email|code|title|land|words|duty|secret\w*|Name|Code|Country)$/;

function condition(name: string): Arbitrary<string> {
  const compared = path(name, 3, 'attributes').chain((own) => {
    const isText = TEXTS.test(own);
    const comparator = isText ? words('= != < >= begin % ===') : words('= != < > <= >=');
    return fc
      .tuple(comparator, isText ? texts : numbers)
      .map(([sign, value]) =>
        value === 'null' && !['=', '!='].includes(sign)
          ? `${own} != null`
          : `${own} ${sign} ${value}`,
      );
  });
  const related = fc
    .tuple(path(name, 2, 'relations'), from('=', '!='))
    .map(([own, sign]) => `${own} ${sign} null`);
  const listed = fc
    .tuple(path(name, 2, 'attributes'), some(id, 4))
    .map(([own, ids]) => `${own} IN [${ids.join(', ')}]`);
  return fc.oneof({ weight: 5, arbitrary: compared }, related, listed);
}

function filter(name: string): Arbitrary<string> {
  const one = fc.oneof(
    { weight: 3, arbitrary: condition(name) },
    condition(name).map((text) => `not(${text})`),
  );
  const more = fc.array(fc.tuple(words('AND OR EXCEPT'), one), { maxLength: 2 });
  return fc
    .tuple(one, more)
    .map(([first, others]) => [first, ...others.map((pair) => pair.join(' '))].join(' '));
}

const quoted = (text: Arbitrary<string>): Arbitrary<string> =>
  text.map((inner) => `"${inner.replaceAll('"', String.raw`\u0022`)}"`);
const small = fc.integer({ min: 0, max: 7 }).map(String);
const setId = fc.integer({ min: 0, max: 30 }).map((at) => `{S${at}}`);

/** Parameters, each there or not, and what always stands behind them. */
function query(parts: Readonly<Record<string, Arbitrary<string>>>, end = ''): Arbitrary<string> {
  const each = Object.entries(parts).map(([name, value]) =>
    fc.option(
      value.map((text) => `${name}=${text}`),
      { freq: 1, nil: '' },
    ),
  );
  return fc
    .tuple(...each)
    .map((given) => [...given, end].filter((text) => text !== '').join('&'))
    .map((text) => (text === '' ? '' : `?${text}`));
}

/** What a path selects, with the dataclass of that. */
const selection: Arbitrary<readonly [path: string, dataclass: string]> = dataclass.chain((name) => {
  const keyed = keyOf(name).map((key) => `${name}(${key})`);
  const keys = fc
    .array(keyOf(name), { minLength: 2, maxLength: 4 })
    .map((several) => `${name}(${several.join(',')})`);
  const unique = words('ann@x ben@x bob@x no@x').map((mail) => `Person:email('${mail}')`);
  const relations = Object.entries({ ...describedOf(name).relations, boss: 'Person' });
  const related = fc
    .tuple(keyed, from(...relations))
    .map(([text, [own, target]]) => [`${text}/${own}`, target] as const);
  const own = fc.oneof({ weight: 5, arbitrary: fc.constant(name) }, ...[keyed, keys], {
    weight: 2,
    arbitrary: setId.map((set) => `${name}/$entityset/${set}`),
  });
  return fc.oneof(
    { weight: 9, arbitrary: own.map((text) => [text, name] as const) },
    { weight: 2, arbitrary: related },
    unique.map((text) => [text, 'Person'] as const),
  );
});

const get = (path: Arbitrary<string>): Arbitrary<Guess> =>
  fc.tuple(words('GET GET GET GET HEAD'), path).map(([verb, text]) => ({ verb, path: text }));

/** Reads of what a path selects, by what stands behind it. */
const selected = (rest: (name: string) => Arbitrary<string>): Arbitrary<string> =>
  selection.chain(([text, name]) => rest(name).map((more) => text + more));

const order = (name: string): Arbitrary<string> => {
  const item = fc.tuple(path(name, 2, 'attributes'), from('', ' desc'));
  return joined(
    item.map((pair) => pair.join('')),
    2,
  );
};
const list = (name: string, end: 'attributes' | 'relations'): Arbitrary<string> =>
  joined(
    fc.oneof(
      path(name, 2, end),
      path(name, 1, 'relations').map((own) => `${own}.*`),
    ),
    3,
  );
const common = (name: string): Readonly<Record<string, Arbitrary<string>>> => ({
  ...{ $filter: quoted(filter(name)), $orderby: quoted(order(name)) },
});
const paged = (name: string): Readonly<Record<string, Arbitrary<string>>> => ({
  ...{ ...common(name), $top: small },
});

const reads = selected((name) =>
  query({ ...paged(name), $skip: small, $attributes: list(name, 'attributes') }),
);
const moreReads = selected((name) =>
  query({
    ...{ $filter: quoted(filter(name)), $expand: list(name, 'relations'), $limit: small },
    ...{ $format: words('csv ndjson json'), $asArray: from('true') },
  }),
);
const plans = selected((name) => query(paged(name), '$queryplan=true&$querypath=true'));
const computed = selection.chain(([text, name]) =>
  fc
    .tuple(
      path(name, 2, 'attributes'),
      words('$compute=$all $compute=count $compute=sum $distinct=true').chain((what) =>
        query(paged(name), what),
      ),
    )
    .map(([own, rest]) =>
      text.includes('$entityset') ? text.replace('/', `/${own}/`) + rest : `${text}/${own}${rest}`,
    ),
);

const aggregate = (name: string): Arbitrary<string> =>
  fc.oneof(
    from('count'),
    fc
      .tuple(words('count distinct sum avg min max'), path(name, 2, 'attributes'))
      .map(([of, own]) => `${of}(${own})`),
  );
const groups = selected((name) => {
  const group = fc.tuple(path(name, 2, 'attributes'), from('', '', ':year', ':step(10)'));
  return query({
    ...{
      $filter: quoted(filter(name)),
      $groupby: joined(
        group.map((pair) => pair.join('')),
        2,
      ),
    },
    $aggregate: joined(aggregate(name), 3),
    $having: aggregate(name).map((of) => `"${of} > 1"`),
    $orderby: aggregate(name).map((of) => `"${of} desc"`),
    $queryplan: from('true'),
  });
});

const operators = words('AND OR EXCEPT INTERSECT');
const sets = selected((name) =>
  query({
    ...{
      ...paged(name),
      $logicOperator: operators,
      $otherCollection: setId,
      $findKey: keyOf(name),
    },
    ...{ $savedfilter: quoted(filter(name)), $clean: from('true') },
    $method: words('entityset entityset subentityset release'),
  }),
);
const madeSets = selected((name) => query(common(name), '$method=entityset'));
const combined = fc
  .tuple(words('Person Note Task'), setId, setId, operators)
  .map(
    ([name, left, right, how]) =>
      `${name}/$entityset/${left}?$logicOperator=${how}&$otherCollection=${right}`,
  );
const catalog = words(
  '$info $openapi $stamp $catalog $catalog/$all $catalog/Ledger $catalog/Person $catalog/Person,Ledger',
);
const locks = dataclass.chain((name) =>
  fc
    .tuple(keyOf(name), from('true', 'false'), from('', '&__STAMP=1', '&__STAMP=2'))
    .map(([key, way, stamp]): Guess => ({
      verb: 'GET',
      path: `${name}(${key})?$lock=${way}${stamp}`,
    })),
);

/** Requests that change nothing but entity sets and locks. */
export const reading: Arbitrary<Guess> = fc.oneof(
  { weight: 6, arbitrary: get(reads) },
  ...[moreReads, computed, groups].map((paths) => ({ weight: 4, arbitrary: get(paths) })),
  ...[plans, sets].map((paths) => ({ weight: 2, arbitrary: get(paths) })),
  ...[get(madeSets), get(combined), get(catalog), locks],
);

/** Ids of new entities: nothing in either database has them at first. */
const free = fc.integer({ min: 100, max: 160 });
const seenId = from(1, 3, 4, 6, 8);
const stamp = from<number | undefined>(undefined, undefined, undefined, 1, 2, 3, -1, 12_345);
const reference = fc.oneof(
  fc.constant(null),
  id,
  id.map(String),
  id.map((key) => ({ __KEY: String(key) })),
  id.map((key) => ({ __deferred: { uri: `/rest/Person(${key})`, __KEY: String(key) } })),
);

type Fields = Arbitrary<Readonly<Record<string, unknown>>>;

function optional(parts: Readonly<Record<string, Arbitrary<unknown>>>): Fields {
  return fc.record(parts, { requiredKeys: [] });
}

/** What is saved of an entity, besides its key. */
const fieldsOf: Readonly<Record<string, Fields>> = {
  Country: optional({ name: from('New', 'Italy', null), tenant: from(1, 2) }),
  Person: optional({
    name: from('Ann', 'Gil', null),
    grade: from<number | string | null>(1, 4, 49, 95, 100, null, 'x'),
    mentorId: fc.oneof(id, fc.constant(null)),
    ...{ mentor: reference, country: reference, double: from(2), mentorName: from('Ben') },
  }),
  Task: optional({
    ...{ title: from('t', 'u', null), owner: reference, ownerName: from('Ben') },
    ...{ land: from('FR', 'SU', 'ZZ', 'QQ', null), place: reference },
  }),
  Member: optional({ duty: from('x', 'y', null), person: reference }),
  Note: optional({
    ...{ words: from('one', 'away', 'two', null), person: reference, tenant: from(1, 2) },
  }),
};

/** Names that the role does not have. */
const hiddenFields: Fields = optional({
  ...{ salary: from(1, 900), secret: from('h'), boss: reference, bossId: id, tenant: from(2) },
  ...{ reports: fc.constant([{ __KEY: 2 }]), ledgers: fc.constant([]) },
});

/** Some fields of an entity, in one of ten with some that are hidden. */
const given = (name: string): Fields =>
  fc
    .tuple(fieldsOf[name] ?? optional({}), hiddenFields, fc.integer({ min: 0, max: 9 }))
    .map(([seen, more, chance]) => (chance === 0 ? { ...seen, ...more } : seen));

const keyIn = (name: string): Arbitrary<unknown> =>
  name === 'Member'
    ? fc.tuple(id, id).map(([personId, taskId]) => JSON.stringify({ personId, taskId }))
    : id;

/** An entity that is changed, which may be a hidden one. */
const change = (name: string): Fields =>
  fc
    .tuple(keyIn(name), stamp, given(name))
    .map(([__KEY, __STAMP, fields]) => ({ __KEY, __STAMP, ...fields }));

/** What a new entity has that has to be unique, of which nothing is taken by a hidden one. */
const uniqueOf: Readonly<Record<string, (own: number, other: number) => object>> = {
  Country: (id) => ({ id, code: `c${id}` }),
  Person: (id) => ({ id, email: `${id}@x` }),
  Member: (taskId, personId) => ({ personId, taskId }),
};
const creation = (name: string): Fields =>
  fc.tuple(free, seenId, given(name)).map(([own, other, fields]) => ({
    ...fields,
    ...(uniqueOf[name]?.(own, other) ?? { id: own }),
  }));

const post = (path: string, body: unknown): Guess => ({
  ...{ verb: 'POST', path, body: JSON.stringify(body) },
});

const changedOrNew = (name: string): Fields =>
  fc.oneof({ weight: 3, arbitrary: change(name) }, creation(name));

const saveParameters = from(
  ...['', '', '', '?$atomic=true', '?$method=update&$refresh=true', '?$method=update'],
  ...['?$attributes=*', '?$expand=mentor,owner,person', '?$attributes=mentor.name,owner.name'],
);
const saves: Arbitrary<Guess> = words('Country Person Person Task Task Member Note').chain((name) =>
  fc
    .tuple(some(changedOrNew(name), 3), saveParameters)
    .map(([entities, rest]) => post(name + rest, entities.length === 1 ? entities[0] : entities)),
);

/** What is saved along with an entity: the relation, and what it leads to. */
const along = from(
  ...([
    ['Person', 'notes', 'Note'],
    ['Person', 'owned', 'Task'],
    ['Person', 'mentored', 'Person'],
    ['Task', 'members', 'Member'],
    ['Country', 'people', 'Person'],
    ['Task', 'owner', 'Person'],
  ] as const),
);
const nestedSaves: Arbitrary<Guess> = along.chain(([name, relation, target]) =>
  fc
    .tuple(
      id,
      relation === 'owner' ? creation(target) : fc.array(changedOrNew(target), { maxLength: 3 }),
      from('', '', '$atomic=true', '$method=update&$refresh=true'),
      from(`$replace=${relation}`, ''),
    )
    .map(([key, value, rest, replacing]) => {
      const parameters = [replacing, rest].filter((text) => text !== '').join('&');
      return post(`${name}(${key})?${parameters}`, { [relation]: value });
    }),
);

/** Nothing that is saved here stays; so it may collide with what is hidden. */
export const colliding: Arbitrary<Guess> = fc
  .oneof(
    fc
      .tuple(id, words('ann@x ben@x bob@x new@x'), fieldsOf['Person'] ?? optional({}))
      .map(([own, email, fields]) => ['Person', { ...fields, id: own, email }] as const),
    fc
      .tuple(seenId, words('ann@x ben@x bob@x'), fc.option(id, { nil: undefined }))
      .map(([__KEY, email, own]) => ['Person', { __KEY, email, id: own }] as const),
    fc
      .tuple(id, words('FR SU ZZ NEW'))
      .map(([own, code]) => ['Country', { id: own, code }] as const),
    fc
      .tuple(id, id)
      .map(([personId, taskId]) => ['Member', { personId, taskId, duty: 'n' }] as const),
    id.map((own) => ['Note', { id: own, words: 'n' }] as const),
  )
  .map(([name, body]) => post(`${name}?$method=update&$refresh=true`, body));

const deletes: Arbitrary<Guess> = words('Person Task Note Member Country').chain((name) =>
  fc.oneof(
    joined(keyOf(name), 2).map((keys) => ({ verb: 'DELETE', path: `${name}(${keys})` })),
    fc
      .tuple(keyIn(name), stamp)
      .map(([__KEY, __STAMP]) => post(`${name}?$method=delete`, [{ __KEY, __STAMP }])),
    // Together with something that is always there, so that not all goes at once.
    condition(name).map((text) => ({
      verb: 'POST',
      path: `${name}?$filter="${name === 'Member' ? 'taskId' : 'id'} > 6 AND (${text.replaceAll('"', '')})"&$method=delete`,
    })),
  ),
);

/** Reads and writes on condition: of tags, none is that of an answer but by `*`. */
const conditional: Arbitrary<Guess> = fc.oneof(
  fc
    .tuple(reads, words('if-match if-none-match'), words('* "1" W/"2" "2.x"'))
    .map(([text, header, tag]) => ({ verb: 'GET', path: text, headers: { [header]: tag } })),
  fc
    .tuple(
      from<readonly [string, object]>(
        ['Person', { grade: 4 }],
        ['Note', { words: 'p' }],
        ['Task', { title: 'p' }],
      ),
      id,
      words('"1" "2" "12345" * W/"1.x"'),
    )
    .map(([[name, body], key, tag]) => ({
      ...{ ...post(`${name}(${key})`, body), verb: 'PUT' },
      headers: { 'if-match': tag },
    })),
);

/** What is asked for in a way that may not be there. */
const otherVerbs: Arbitrary<Guess> = fc
  .tuple(
    selection,
    words('OPTIONS PUT PATCH POST'),
    from(
      '',
      ...['salary', 'secret?$binary=true', 'name', 'reports', 'ledgers'].map((text) => `/${text}`),
    ),
  )
  .map(([[path], verb, rest]) => ({ verb, path: path + rest, body: '{}' }));

/** Requests that write. */
export const writing: Arbitrary<Guess> = fc.oneof(
  { weight: 5, arbitrary: saves },
  { weight: 3, arbitrary: nestedSaves },
  ...[conditional, get(reads)].map((guesses) => ({ weight: 2, arbitrary: guesses })),
  ...[deletes, otherVerbs, locks],
);
