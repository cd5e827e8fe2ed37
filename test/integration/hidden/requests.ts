import fc from 'fast-check';

/** A request to both twins; `{S3}` in its URL is the id of an entity set that each of them has made. */
export interface Guess {
  readonly verb: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Described {
  readonly attributes: readonly string[];
  readonly toOne: Readonly<Record<string, string>>;
  readonly toMany: Readonly<Record<string, string>>;
  /** Names that are hidden, and names near to them. */
  readonly hidden?: readonly string[];
}

/** What requests name. */
const dataclasses: Readonly<Record<string, Described>> = {
  Country: {
    attributes: ['id', 'code', 'name'],
    toOne: {},
    toMany: { people: 'Person', tasks: 'Task' },
    hidden: ['tenant', 'tenan', 'ver'],
  },
  Person: {
    attributes: [
      ...['id', 'email', 'name', 'grade', 'mentorId', 'double', 'share'],
      ...['countryCode', 'mentorName'],
    ],
    toOne: { country: 'Country', mentor: 'Person' },
    toMany: {
      ...{ mentored: 'Person', owned: 'Task', memberships: 'Member', tasks: 'Task', notes: 'Note' },
    },
    hidden: [
      ...['salary', 'secret', 'bossId', 'tenant', 'yearly', 'bossName', 'salry', 'secrets'],
      ...['boss.name', 'reports.id', 'ledgers.amount', 'bos', 'ledger.amount', 'boss', 'reports'],
    ],
  },
  Task: {
    attributes: ['id', 'title', 'land', 'ownerName', 'ownerCountry'],
    toOne: { owner: 'Person', place: 'Country' },
    toMany: { members: 'Member', people: 'Person' },
    hidden: ['owner_id', 'owner.salary'],
  },
  Member: {
    attributes: ['personId', 'taskId', 'duty'],
    toOne: { person: 'Person', task: 'Task' },
    toMany: {},
    hidden: ['tenant', 'person.boss.name'],
  },
  Note: {
    attributes: ['id', 'words'],
    toOne: { person: 'Person' },
    toMany: {},
    hidden: ['tenant', 'tenants'],
  },
  Ledger: { attributes: ['id', 'amount'], toOne: { person: 'Person' }, toMany: {} },
};

const from = <Item>(...items: readonly Item[]): fc.Arbitrary<Item> => fc.constantFrom(...items);
const dataclass = from(
  ...['Country', 'Country', 'Person', 'Person', 'Person', 'Person', 'Person', 'Person', 'Task'],
  ...['Task', 'Task', 'Task', 'Member', 'Member', 'Note', 'Note', 'Note', 'Ledger'],
);
const describedOf = (name: string): Described =>
  dataclasses[name] ?? { attributes: ['id'], toOne: {}, toMany: {} };

/** Keys of rows that are seen, that are hidden, and that are not there. */
const id = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 9 }) },
  from(42, 99, 100, 101, 102, 103),
);
const keyOf = (name: string): fc.Arbitrary<string> => {
  const plain = name === 'Member' ? fc.tuple(id, id).map((pair) => pair.join(';')) : id.map(String);
  return plain;
};

const literals = {
  number: from('0', '1', '2', '3', '5', '9', '10', '80', '900', '-20', '1.5', 'null'),
  text: from(
    ...['Ann', 'Ben', 'Bob', 'B@', '@n@', 'FR', 'SU', 'Z@', 'x', 'a', 'null', '"ben@x"', 'bob@x'],
    ...['two', 'one', 'o@', 'away', 'Union'],
  ),
};

/** A path of names from a dataclass, which ends in an attribute, in a relation, or in what is hidden. */
function path(name: string, depth: number, end: 'attribute' | 'relation'): fc.Arbitrary<string> {
  const { hidden = ['id'] } = describedOf(name);
  return fc.oneof(
    { weight: 40, arbitrary: seenPath(name, depth, end) },
    { weight: 1, arbitrary: from(...hidden) },
  );
}

function seenPath(
  name: string,
  depth: number,
  end: 'attribute' | 'relation',
): fc.Arbitrary<string> {
  const { attributes, toOne, toMany } = describedOf(name);
  const relations = Object.entries({ ...toOne, ...toMany });
  if (relations.length === 0) return from(...attributes);
  const last = end === 'attribute' ? from(...attributes) : from(...relations.map(([own]) => own));
  if (depth === 0) return last;
  const further = from(...relations).chain(([own, target]) =>
    seenPath(target, depth - 1, end).map((rest) => `${own}.${rest}`),
  );
  return fc.oneof({ weight: 2, arbitrary: last }, { weight: 3, arbitrary: further });
}

function condition(name: string): fc.Arbitrary<string> {
  const compared = path(name, 3, 'attribute').chain((own) => {
    const isText = /(?:name|email|code|title|land|words|duty|secret\w*|Name|Code|Country)$/.test(
      own,
    );
    const comparator = isText
      ? from('=', '!=', '<', '>=', 'begin', '%', '===')
      : from('=', '!=', '<', '>', '<=', '>=');
    return fc
      .tuple(comparator, isText ? literals.text : literals.number)
      .map(([sign, value]) =>
        value === 'null' && !['=', '!='].includes(sign)
          ? `${own} != null`
          : `${own} ${sign} ${value}`,
      );
  });
  const related = fc
    .tuple(path(name, 2, 'relation'), from('=', '!='))
    .map(([own, sign]) => `${own} ${sign} null`);
  const listed = fc
    .tuple(path(name, 2, 'attribute'), fc.array(id, { minLength: 1, maxLength: 4 }))
    .map(([own, ids]) => `${own} IN [${ids.join(', ')}]`);
  return fc.oneof({ weight: 5, arbitrary: compared }, related, listed);
}

function filter(name: string): fc.Arbitrary<string> {
  const one = fc.oneof(
    { weight: 3, arbitrary: condition(name) },
    condition(name).map((text) => `not(${text})`),
  );
  return fc
    .tuple(one, fc.array(fc.tuple(from('AND', 'OR', 'EXCEPT'), one), { maxLength: 2 }))
    .map(([first, more]) => [first, ...more.map((pair) => pair.join(' '))].join(' '));
}

const order = (name: string): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(path(name, 2, 'attribute'), from('', ' desc')), { minLength: 1, maxLength: 2 })
    .map((items) => items.map(([own, way]) => own + way).join(','));

const list = (name: string, end: 'attribute' | 'relation'): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        path(name, 2, end),
        path(name, 1, 'relation').map((own) => `${own}.*`),
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .map((items) => items.join(','));

/** Parameters, each there or not. */
function query(parts: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string> {
  const each = Object.entries(parts).map(([name, value]) =>
    fc.option(
      value.map((text) => `${name}=${text}`),
      { freq: 1, nil: null },
    ),
  );
  return fc
    .tuple(...each)
    .map((given) => given.filter((text) => text !== null).join('&'))
    .map((text) => (text === '' ? '' : `?${text}`));
}

const quoted = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  text.map((inner) => `"${inner.replaceAll('"', String.raw`\u0022`)}"`);
const small = fc.integer({ min: 0, max: 7 }).map(String);
const one = (text: string): fc.Arbitrary<string> => from(text);

/** What a path selects, with the dataclass of that. */
const selection: fc.Arbitrary<readonly [path: string, dataclass: string]> = dataclass.chain(
  (name) => {
    const set = fc.integer({ min: 0, max: 30 }).map((at) => `${name}/$entityset/{S${at}}`);
    const keyed = keyOf(name).map((key) => `${name}(${key})`);
    const keys = fc
      .array(keyOf(name), { minLength: 2, maxLength: 4 })
      .map((several) => `${name}(${several.join(',')})`);
    const unique = from('ann@x', 'ben@x', 'bob@x', 'no@x').map((mail) => `Person:email('${mail}')`);
    const { toOne, toMany } = describedOf(name);
    const relations = Object.entries({ ...toOne, ...toMany, boss: 'Person' });
    const related = fc
      .tuple(keyed, from(...relations))
      .map(([text, [own, target]]) => [`${text}/${own}`, target] as const);
    return fc.oneof(
      { weight: 5, arbitrary: fc.constant([name, name] as const) },
      keyed.map((text) => [text, name] as const),
      keys.map((text) => [text, name] as const),
      { weight: 2, arbitrary: related },
      { weight: 2, arbitrary: set.map((text) => [text, name] as const) },
      unique.map((text) => [text, 'Person'] as const),
    );
  },
);

const get = (path: fc.Arbitrary<string>): fc.Arbitrary<Guess> =>
  fc
    .tuple(from('GET', 'GET', 'GET', 'GET', 'HEAD'), path)
    .map(([verb, text]) => ({ verb, path: text }));

const common = (name: string): Readonly<Record<string, fc.Arbitrary<string>>> => ({
  $filter: quoted(filter(name)),
  $orderby: quoted(order(name)),
});

const reads = selection.chain(([text, name]) =>
  query({
    ...common(name),
    $top: small,
    $skip: small,
    $attributes: list(name, 'attribute'),
  }).map((rest) => text + rest),
);
const moreReads = selection.chain(([text, name]) =>
  query({
    $filter: quoted(filter(name)),
    $expand: list(name, 'relation'),
    $format: from('csv', 'ndjson', 'json'),
    $asArray: one('true'),
    $limit: small,
  }).map((rest) => text + rest),
);
const plans = selection.chain(([text, name]) =>
  query({ ...common(name), $top: small }).map(
    (rest) => `${text}${rest}${rest === '' ? '?' : '&'}$queryplan=true&$querypath=true`,
  ),
);
const computed = selection.chain(([text, name]) =>
  fc
    .tuple(
      path(name, 2, 'attribute'),
      query({ ...common(name), $top: small }),
      from('$compute=$all', '$compute=count', '$compute=sum', '$distinct=true'),
    )
    .map(([own, rest, what]) =>
      text.includes('$entityset')
        ? `${text.replace('/', `/${own}/`)}${rest}${rest === '' ? '?' : '&'}${what}`
        : `${text}/${own}${rest}${rest === '' ? '?' : '&'}${what}`,
    ),
);
const AGGREGATES = ['count', 'distinct', 'sum', 'avg', 'min', 'max'] as const;

const aggregate = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    from('count'),
    fc.tuple(from(...AGGREGATES), path(name, 2, 'attribute')).map(([of, own]) => `${of}(${own})`),
  );

const groups = selection.chain(([text, name]) =>
  query({
    $filter: quoted(filter(name)),
    $groupby: fc
      .array(fc.tuple(path(name, 2, 'attribute'), from('', '', ':year', ':step(10)')), {
        minLength: 1,
        maxLength: 2,
      })
      .map((all) => all.map((parts) => parts.join('')).join(',')),
    $aggregate: fc
      .array(aggregate(name), { minLength: 1, maxLength: 3 })
      .map((all) => all.join(',')),
    $having: aggregate(name).map((of) => `"${of} > 1"`),
    $orderby: aggregate(name).map((of) => `"${of} desc"`),
    $queryplan: one('true'),
  }).map((rest) => text + rest),
);

const sets = selection.chain(([text, name]) =>
  query({
    ...common(name),
    $top: small,
    $logicOperator: from('AND', 'OR', 'EXCEPT', 'INTERSECT'),
    $otherCollection: fc.integer({ min: 0, max: 30 }).map((at) => `{S${at}}`),
    $savedfilter: quoted(filter(name)),
    $findKey: keyOf(name),
    $clean: one('true'),
    $method: from('entityset', 'entityset', 'subentityset', 'release'),
  }).map((rest) => text + rest),
);
const madeSets = selection.chain(([text, name]) =>
  query(common(name)).map((rest) => `${text}${rest}${rest === '' ? '?' : '&'}$method=entityset`),
);
const combined = fc
  .tuple(
    from('Person', 'Note', 'Task'),
    fc.integer({ min: 0, max: 30 }),
    fc.integer({ min: 0, max: 30 }),
    from('AND', 'OR', 'EXCEPT', 'INTERSECT'),
  )
  .map(
    ([name, left, right, how]) =>
      `${name}/$entityset/{S${left}}?$logicOperator=${how}&$otherCollection={S${right}}`,
  );
const catalog = from(
  '$info',
  '$openapi',
  '$stamp',
  ...['$catalog', '$catalog/$all', '$catalog/Ledger', '$catalog/Person', '$catalog/Person,Ledger'],
);
const locks = dataclass.chain((name) =>
  fc
    .tuple(keyOf(name), from('true', 'false'), from('', '&__STAMP=1', '&__STAMP=2'))
    .map(([key, way, stamp]) => `${name}(${key})?$lock=${way}${stamp}`),
);

/** Requests that change nothing but entity sets and locks. */
export const reading: fc.Arbitrary<Guess> = fc.oneof(
  { weight: 6, arbitrary: get(reads) },
  { weight: 4, arbitrary: get(moreReads) },
  { weight: 2, arbitrary: get(plans) },
  { weight: 4, arbitrary: get(computed) },
  { weight: 4, arbitrary: get(groups) },
  { weight: 2, arbitrary: get(sets) },
  { weight: 1, arbitrary: get(madeSets) },
  { weight: 1, arbitrary: get(combined) },
  { weight: 1, arbitrary: locks.map((path) => ({ verb: 'GET', path })) },
  { weight: 1, arbitrary: get(catalog).filter(({ path }) => path !== '') },
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

type Fields = fc.Arbitrary<Readonly<Record<string, unknown>>>;

function optional(parts: Readonly<Record<string, fc.Arbitrary<unknown>>>): Fields {
  return fc.record(parts, { requiredKeys: [] });
}

/** What is saved of an entity, besides its key. */
const fieldsOf: Readonly<Record<string, Fields>> = {
  Country: optional({ name: from('New', 'Italy', null), tenant: from(1, 2) }),
  Person: optional({
    name: from('Ann', 'Gil', null),
    grade: from<number | string | null>(1, 4, 49, 95, 100, null, 'x'),
    mentorId: fc.oneof(id, fc.constant(null)),
    mentor: reference,
    country: reference,
    double: from(2),
    mentorName: from('Ben'),
  }),
  Task: optional({
    title: from('t', 'u', null),
    owner: reference,
    land: from('FR', 'SU', 'ZZ', 'QQ', null),
    place: reference,
    ownerName: from('Ben'),
  }),
  Member: optional({ duty: from('x', 'y', null), person: reference }),
  Note: optional({
    words: from('one', 'away', 'two', null),
    person: reference,
    tenant: from(1, 2),
  }),
};

/** Names that the role does not have. */
const hiddenFields: Fields = optional({
  salary: from(1, 900),
  secret: from('h'),
  boss: reference,
  bossId: id,
  reports: fc.constant([{ __KEY: 2 }]),
  ledgers: fc.constant([]),
  tenant: from(2),
});

const isRare = fc.integer({ min: 0, max: 9 }).map((number) => number === 0);
const withHidden = (fields: Fields): Fields =>
  fc
    .tuple(fields, hiddenFields, isRare)
    .map(([seen, more, isAdded]) => (isAdded ? { ...seen, ...more } : seen));

const written = from('Country', 'Person', 'Person', 'Task', 'Task', 'Member', 'Note');

const keyIn = (name: string): fc.Arbitrary<unknown> =>
  name === 'Member'
    ? fc.tuple(id, id).map(([personId, taskId]) => JSON.stringify({ personId, taskId }))
    : id;

/** An entity that is changed, which may be a hidden one. */
const change = (name: string): Fields =>
  fc
    .tuple(keyIn(name), stamp, withHidden(fieldsOf[name] ?? optional({})))
    .map(([__KEY, __STAMP, fields]) => ({ __KEY, __STAMP, ...fields }));

/** A new entity with what has to be unique, of which nothing is taken by a hidden one. */
const creation = (name: string): Fields =>
  fc.tuple(free, seenId, withHidden(fieldsOf[name] ?? optional({}))).map(([own, other, fields]) => {
    const unique =
      name === 'Country'
        ? { id: own, code: `c${own}` }
        : name === 'Person'
          ? { id: own, email: `${own}@x` }
          : name === 'Member'
            ? { personId: other, taskId: own }
            : { id: own };
    return { ...fields, ...unique };
  });

/** Of persons and tasks, what is saved along with them. */
const nested = fc.oneof(
  fc
    .tuple(id, fc.array(fc.oneof(change('Note'), creation('Note')), { maxLength: 3 }))
    .map(([__KEY, notes]) => ['Person', { __KEY, notes }] as const),
  fc
    .tuple(id, fc.array(fc.oneof(change('Task'), creation('Task')), { maxLength: 3 }))
    .map(([__KEY, owned]) => ['Person', { __KEY, owned }] as const),
  fc
    .tuple(id, fc.array(fc.oneof(change('Person'), creation('Person')), { maxLength: 3 }))
    .map(([__KEY, mentored]) => ['Person', { __KEY, mentored }] as const),
  fc
    .tuple(id, fc.array(change('Member'), { maxLength: 3 }))
    .map(([__KEY, members]) => ['Task', { __KEY, members }] as const),
  fc
    .tuple(id, fc.array(fc.oneof(change('Person'), creation('Person')), { maxLength: 3 }))
    .map(([__KEY, people]) => ['Country', { __KEY, people }] as const),
  fc.tuple(id, creation('Person')).map(([__KEY, owner]) => ['Task', { __KEY, owner }] as const),
);

const saveParameters = from(
  ...['', '', '', '?$atomic=true', '?$method=update&$refresh=true', '?$method=update'],
  ...['?$attributes=*', '?$expand=mentor,owner,person', '?$attributes=mentor.name,owner.name'],
);

const post = (path: string, body: unknown): Guess => ({
  verb: 'POST',
  path,
  body: JSON.stringify(body),
});

const saves: fc.Arbitrary<Guess> = written.chain((name) =>
  fc
    .tuple(
      fc.array(fc.oneof({ weight: 3, arbitrary: change(name) }, creation(name)), {
        minLength: 1,
        maxLength: 3,
      }),
      saveParameters,
    )
    .map(([entities, rest]) => post(name + rest, entities.length === 1 ? entities[0] : entities)),
);

const nestedSaves: fc.Arbitrary<Guess> = fc
  .tuple(nested, from('', '', '$atomic=true', '$method=update&$refresh=true'), from(true, false))
  .map(([[name, entity], rest, isReplaced]) => {
    const { __KEY, ...fields } = entity;
    const [relation = ''] = Object.keys(fields);
    const parameters = [
      ...(isReplaced ? [`$replace=${relation}`] : []),
      ...(rest === '' ? [] : [rest]),
    ];
    return post(`${name}(${__KEY})?${parameters.join('&')}`, fields);
  });

/** Nothing that is saved here stays; so it may collide with what is hidden. */
export const colliding: fc.Arbitrary<Guess> = fc.oneof(
  fc
    .tuple(id, from('ann@x', 'ben@x', 'bob@x', 'new@x'), fieldsOf['Person'] ?? optional({}))
    .map(([own, email, fields]) => ({ ...fields, id: own, email }))
    .map((body) => post('Person?$method=update&$refresh=true', body)),
  fc
    .tuple(seenId, from('ann@x', 'ben@x', 'bob@x'), fc.option(id, { nil: undefined }))
    .map(([__KEY, email, own]) => ({ __KEY, email, id: own }))
    .map((body) => post('Person?$method=update&$refresh=true', body)),
  fc
    .tuple(id, from('FR', 'SU', 'ZZ', 'NEW'))
    .map(([own, code]) => post('Country?$method=update&$refresh=true', { id: own, code })),
  fc
    .tuple(id, id)
    .map(([personId, taskId]) =>
      post('Member?$method=update&$refresh=true', { personId, taskId, duty: 'n' }),
    ),
  id.map((own) => post('Note?$method=update&$refresh=true', { id: own, words: 'n' })),
);

const deletes: fc.Arbitrary<Guess> = from('Person', 'Task', 'Note', 'Member', 'Country').chain(
  (name) =>
    fc.oneof(
      keyOf(name).map((key) => ({ verb: 'DELETE', path: `${name}(${key})` })),
      fc
        .tuple(keyOf(name), keyOf(name))
        .map((keys) => ({ verb: 'DELETE', path: `${name}(${keys.join(',')})` })),
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

/** Reads on condition: of tags, none is that of an answer but by `*`. */
const tagged: fc.Arbitrary<Guess> = fc
  .tuple(reads, from('if-match', 'if-none-match'), from('*', '"1"', 'W/"2"', '"2.x"'))
  .map(([text, header, tag]) => ({ verb: 'GET', path: text, headers: { [header]: tag } }));

const conditional: fc.Arbitrary<Guess> = fc
  .tuple(from('Person', 'Note', 'Task'), id, from('"1"', '"2"', '"12345"', '*', 'W/"1.x"'))
  .map(([name, key, tag]) => ({
    verb: 'PUT',
    path: `${name}(${key})`,
    body: name === 'Note' ? '{"words":"p"}' : name === 'Task' ? '{"title":"p"}' : '{"grade":4}',
    headers: { 'if-match': tag },
  }));

/** What is asked for in a way that may not be there. */
const otherVerbs: fc.Arbitrary<Guess> = fc
  .tuple(
    selection,
    from('OPTIONS', 'PUT', 'PATCH', 'POST'),
    from(
      '',
      '/salary',
      '/secret?$binary=true',
      '/name',
      '/reports',
      '/ledgers',
      '/name?$binary=true',
    ),
  )
  .map(([[path], verb, rest]) => ({ verb, path: path + rest, body: '{}' }));

/** Requests that write. */
export const writing: fc.Arbitrary<Guess> = fc.oneof(
  { weight: 5, arbitrary: saves },
  { weight: 3, arbitrary: nestedSaves },
  { weight: 1, arbitrary: deletes },
  { weight: 1, arbitrary: conditional },
  { weight: 1, arbitrary: otherVerbs },
  { weight: 2, arbitrary: get(reads) },
  { weight: 1, arbitrary: tagged },
  { weight: 1, arbitrary: locks.map((path) => ({ verb: 'GET', path })) },
);
