import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../../property/seed.ts';
import { mapped, type Served, type Shape, type Told, type Verb } from './engines.ts';

const columns = (stamp: string): string =>
  `txt varchar(20) NULL CHECK (txt <> 'bad')${stamp === 'counter' ? ', ver int NOT NULL DEFAULT 1' : ''}`;

const tables = [
  `CREATE TABLE app.head (id int NOT NULL PRIMARY KEY, ${columns('counter')})`,
  `CREATE TABLE app.task (id int NOT NULL PRIMARY KEY, head_id int NULL, ${columns('counter')})`,
  `CREATE TABLE app.node (id int NOT NULL PRIMARY KEY, parent_id int NULL, ${columns('counter')})`,
  `CREATE TABLE app.account (yr int NOT NULL, no int NOT NULL, ${columns('hash')}, PRIMARY KEY (yr, no))`,
  `CREATE TABLE app.entry (page int NOT NULL, line int NOT NULL, yr int NULL, no int NULL, ${columns('hash')},` +
    ' PRIMARY KEY (page, line))',
];

/** Two dataclasses that a body is about: entities that hold lists, and those in the lists. */
interface Kind {
  readonly holder: string;
  readonly item: string;
  /** The key of a holder or an item, by its number. */
  readonly key: (of: 'holder' | 'item', number: number) => string;
  /** The attributes of a new item's key. */
  readonly made: (number: number) => object;
  /** A new holder whose key another one has. */
  readonly taken: object;
  readonly rows: readonly string[];
  /** Whether the database counts the versions of holders, also those of their lists. */
  readonly isCounted: boolean;
}

const HOLDERS = [1, 2, 3];
const ITEMS = [1, 2, 3, 4, 5];
/** The numbers of items that are not there yet. */
const MADE = [7, 8];

/** Items 1 to 3 belong to the first holder, 4 to the second, 5 to none; the third has none. */
const holderOf = (item: number): string => ['', '1', '1', '1', '2', 'NULL'][item] ?? 'NULL';

const kinds: readonly Kind[] = [
  {
    holder: 'Head',
    item: 'Task',
    isCounted: true,
    key: (_, number) => String(number),
    made: (number) => ({ id: number }),
    taken: { id: 3 },
    rows: [
      'DELETE FROM app.task',
      'DELETE FROM app.head',
      `INSERT INTO app.head (id) VALUES ${HOLDERS.map((id) => `(${id})`).join()}`,
      `INSERT INTO app.task (id, head_id) VALUES ${ITEMS.map((id) => `(${id}, ${holderOf(id)})`).join()}`,
    ],
  },
  {
    holder: 'Account',
    item: 'Entry',
    isCounted: false,
    key: (of, number) => (of === 'holder' ? `2026;${number}` : `${number};9`),
    made: (number) => ({ page: number, line: 9 }),
    taken: { yr: 2026, no: 3 },
    rows: [
      'DELETE FROM app.entry',
      'DELETE FROM app.account',
      `INSERT INTO app.account (yr, no) VALUES ${HOLDERS.map((no) => `(2026, ${no})`).join()}`,
      `INSERT INTO app.entry (page, line, yr, no) VALUES ${ITEMS.map((page) => `(${page}, 9, ${holderOf(page) === 'NULL' ? 'NULL, NULL' : `2026, ${holderOf(page)}`})`).join()}`,
    ],
  },
];

async function reset(served: Served, { rows }: Kind): Promise<void> {
  for (const statement of rows) await served.run(statement);
}

/** `RESET` makes the rows of heads, tasks and nodes anew: node 1 has 2 and 3 in its list, node 4 has 5. */
const RESET: Verb = async (served) => {
  for (const kind of kinds) await reset(served, kind);
  await served.run('DELETE FROM app.node');
  await served.run(
    'INSERT INTO app.node (id, parent_id) VALUES (1, NULL), (2, 1), (3, 1), (4, NULL), (5, 4)',
  );
  return null;
};

/** Holders of lists whose entities can move: with counters and keys of one column, with hashes and keys of two, and those that are listed themselves. A text `bad` breaks a rule. */
export const shape: Shape = {
  postgres: `CREATE SCHEMA app; ${tables.join(';\n')};`,
  sqlserver: ['CREATE SCHEMA app', ...tables],
  mappings: mapped(`
head: {dataclass: Head, table: app.head, stamp: {counter: ver}, attributes: {id: id, text: txt}, relations: {items: {inverse: Task.holder}}}
task: {dataclass: Task, table: app.task, stamp: {counter: ver}, attributes: {id: id, text: txt}, relations: {holder: {to: Head,
  columns: {head_id: id}}}}
node: {dataclass: Node, table: app.node, stamp: {counter: ver}, attributes: {id: id, text: txt}, relations: {parent: {to: Node,
  columns: {parent_id: id}}, items: {inverse: Node.parent}}}
account: {dataclass: Account, table: app.account, stamp: hash, attributes: {yr: yr, no: no, text: txt}, relations: {items: {inverse: Entry.holder}}}
entry: {dataclass: Entry, table: app.entry, stamp: hash, attributes: {page: page, line: line, text: txt}, relations: {holder: {to: Account,
  columns: {yr: yr, no: no}}}}
`),
  verbs: { RESET },
};

/** What one object of a body says; a stale stamp is one that the entity never had. */
interface Said {
  readonly number: number;
  readonly isStale: boolean;
  readonly text: string | undefined;
}

interface SaidHolder extends Said {
  readonly items: readonly Said[] | undefined;
}

const text = fc.constantFrom(undefined, undefined, 'a', 'b', 'bad');
const isStale = fc.constantFrom(false, false, false, false, true);

const saidItem = fc.record({ number: fc.constantFrom(...ITEMS, ...MADE), isStale, text });
const saidHolder: fc.Arbitrary<SaidHolder> = fc.record({
  number: fc.constantFrom(1, 1, 2, 2, 3),
  isStale,
  text,
  items: fc.option(fc.uniqueArray(saidItem, { maxLength: 3, selector: ({ number }) => number }), {
    nil: undefined,
  }),
});

const isStaleItem = ({ number, isStale: stale }: Said): boolean => stale && !MADE.includes(number);

interface Body {
  readonly holders: readonly SaidHolder[];
  readonly isAtomic: boolean;
  readonly replaces: boolean;
  /** Where new holders stand whose key another entity has: they fail, and nothing depends on them. */
  readonly failing: readonly number[];
}

const body: fc.Arbitrary<Body> = fc.record({
  holders: fc.array(saidHolder, { minLength: 1, maxLength: 4 }),
  isAtomic: fc.constantFrom(false, false, true),
  replaces: fc.constantFrom(true, true, true, false),
  failing: fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 2 }),
});

type Entity = Readonly<Record<string, unknown>> & { readonly __STAMP: number };

/** An entity as the database has it: its stamp, its text, and of an item the key of its holder. */
interface Row {
  readonly stamp: number;
  readonly text: unknown;
  readonly holder: string | null;
}

type Rows = ReadonlyMap<string, Row>;

const codesOf = ({ __ERROR: errors = [] }: Readonly<Record<string, unknown>>): number[] =>
  (errors as { errCode: number }[]).map(({ errCode }) => errCode);

const keyText = (key: unknown): string => {
  const said = typeof key === 'string' ? key : JSON.stringify(key);
  return said.startsWith('{') ? Object.values(JSON.parse(said) as object).join(';') : said;
};

async function rowsOf(served: Served, dataclass: string): Promise<Rows> {
  const [, all] = await served.get(dataclass);
  return new Map(
    (all as { __ENTITIES: readonly Entity[] }).__ENTITIES.map((entity) => {
      const holder = (entity['holder'] ?? entity['parent']) as
        { __deferred: { __KEY: unknown } } | null | undefined;
      const key = holder == null ? null : keyText(holder.__deferred.__KEY);
      const row = { stamp: entity.__STAMP, text: entity['text'], holder: key };
      return [keyText(entity['__KEY']), row];
    }),
  );
}

/** What was there before a body, and is after it. */
interface Tables {
  readonly holders: Rows;
  readonly items: Rows;
}

async function read(served: Served, { holder, item }: Kind): Promise<Tables> {
  return { holders: await rowsOf(served, holder), items: await rowsOf(served, item) };
}

/** An entity of an answer, with what was sent for it. */
interface Ended<Of extends Said> {
  readonly said: Of;
  readonly key: string;
  readonly isSaved: boolean;
  readonly entity: Entity;
}

function endedOf<Of extends Said>(
  said: readonly Of[],
  answered: readonly Entity[],
  keyOf: (one: Of) => string,
): Ended<Of>[] {
  return said.map((one, at) => {
    const entity = answered[at] ?? ({} as Entity);
    const isSaved = (entity['__STATUS'] as { success: boolean }).success;
    expect(isSaved === (entity['__ERROR'] === undefined), JSON.stringify(entity)).toBe(true);
    return { said: one, key: keyOf(one), isSaved, entity };
  });
}

/** Whether an object changes the version of its holder, whatever else the body says. */
function changesHolder({ text: said, items = [] }: SaidHolder, isCounted: boolean): boolean {
  return said !== undefined || (isCounted && items.some(({ number }) => MADE.includes(number)));
}

/** Checks that the tables hold what each answer of a saved entity says, and nothing of others. */
function expectTold(
  { key, isCounted }: Kind,
  { holders, replaces }: Body,
  answered: readonly Entity[],
  before: Tables,
  after: Tables,
): void {
  const expectRow = (rows: Rows, id: string, { __STAMP: stamp, text: told }: Entity): void => {
    expect(rows.get(id)).toMatchObject({ stamp, text: told });
  };
  const ended = endedOf(holders, answered, ({ number }) => key('holder', number));
  const saved = ended.filter(({ isSaved }) => isSaved);
  // What is stale is answered as it is now.
  for (const { key: id, entity } of ended) {
    if ('__STAMP' in entity) expectRow(after.holders, id, entity);
  }
  const expected = new Map(before.holders);
  const expectedItems = new Map(before.items);
  for (const { key: id, said, entity } of saved) {
    expect(said.isStale).toBe(false);
    expect(entity['text']).toBe(said.text ?? entity['text']);
    expected.set(id, { stamp: entity.__STAMP, text: entity['text'], holder: null });
    if (said.items === undefined) continue;
    const { __ENTITIES: list } = entity['items'] as { __ENTITIES: readonly Entity[] };
    const items = endedOf(said.items, list, ({ number }) => key('item', number));
    const listed = items.map((item) => item.key);
    for (const item of items) expectRow(after.items, item.key, item.entity);
    const held = [...after.items].filter(([, { holder }]) => holder === id).map(([item]) => item);
    const shown = replaces ? held : held.filter((item) => listed.includes(item));
    expect(new Set(shown)).toEqual(new Set(listed));
    if (replaces) {
      for (const [item, { holder }] of expectedItems) if (holder === id) expectedItems.delete(item);
    }
    for (const item of items) {
      expect([item.isSaved, isStaleItem(item.said)]).toEqual([true, false]);
      expect(item.entity['text']).toBe(item.said.text ?? item.entity['text']);
      const { __STAMP: stamp, text: told } = item.entity;
      expectedItems.set(item.key, { stamp, text: told, holder: id });
    }
  }
  expect(after).toEqual({ holders: expected, items: expectedItems });
  // All stamps are those before the body: what follows a change of an entity is stale.
  for (const [id, { stamp }] of before.holders) {
    const changes = saved.filter(
      ({ key: of, said }) => of === id && changesHolder(said, isCounted),
    );
    expect(changes.length).toBeLessThan(2);
    if (isCounted) expect([stamp, stamp + 1]).toContain(after.holders.get(id)?.stamp);
  }
}

/** Entities that several lists of one body have, at random. */
export function movedEntities(served: Served): void {
  const send = async (
    kind: Kind,
    { holders, isAtomic, replaces, failing }: Body,
    now: Tables,
  ): Promise<Told> => {
    const stamped = (rows: Rows, id: string, stale: boolean): object => {
      const stamp = rows.get(id)?.stamp ?? 1;
      return { __KEY: id, __STAMP: stale ? stamp + 1000 : stamp };
    };
    const objects: object[] = holders.map(({ number, isStale: stale, text: ref, items }) => ({
      ...stamped(now.holders, kind.key('holder', number), stale),
      text: ref,
      items: items?.map((item) => ({
        ...(MADE.includes(item.number)
          ? kind.made(item.number)
          : stamped(now.items, kind.key('item', item.number), item.isStale)),
        text: item.text,
      })),
    }));
    for (const at of failing) objects.splice(at, 0, kind.taken);
    const options = `${replaces ? '&$replace=items' : ''}${isAtomic ? '&$atomic=true' : ''}`;
    return served.post(`${kind.holder}?$attributes=text,items.text${options}`, objects);
  };

  /** Sends a body for the tables as they were made, and checks its answer. @returns the codes of each element but the failing ones, and the tables */
  const outcome = async (
    kind: Kind,
    request: Body,
  ): Promise<{ readonly codes: number[][]; readonly after: Tables }> => {
    await reset(served, kind);
    const before = await read(served, kind);
    const [status, answer] = await send(kind, request, before);
    const after = await read(served, kind);
    const { __ENTITIES: all } = answer as { __ENTITIES?: Entity[] };
    if (all === undefined) {
      const isRefused = status >= 400 && status < 500;
      expect({ isRefused, after }).toEqual({ isRefused: true, after: before });
      return { codes: [codesOf(answer as Entity)], after };
    }
    const answered = [...all];
    for (const at of request.failing.toReversed()) {
      const [taken] = answered.splice(Math.min(at, answered.length - 1), 1);
      expect(codesOf(taken ?? {})).toEqual([1115, 1534]);
    }
    expectTold(kind, request, answered, before, after);
    return { codes: answered.map(codesOf), after };
  };

  test('what moves is found among more entities than one transaction saves', async () => {
    const [kind] = kinds;
    if (kind === undefined) throw new Error('no kinds');
    await reset(served, kind);
    const others = Array.from({ length: 1100 }, (_, at) => ({ id: 100 + at }));
    const body = [{ __KEY: '1', __STAMP: 1, items: [] }, ...others];
    const last = { __KEY: '2', __STAMP: 1, items: [{ __KEY: '1', __STAMP: 1 }] };
    const [status] = await served.post('Head?$replace=items', [...body, last]);
    expect([status, (await rowsOf(served, 'Task')).get('1')?.holder]).toEqual([200, '2']);
  });

  const runs = Number(process.env['WRITE_RUNS'] ?? (served.isSqlServer ? 10 : 25));

  test.each(kinds)(
    'what an answer says of a $holder and its list is in the table',
    { timeout: 60_000 + runs * 2000 },
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(body, async (request) => {
          const alone = await outcome(kind, { ...request, failing: [] });
          if (!request.isAtomic) expect(await outcome(kind, request)).toEqual(alone);
        }),
        { seed, numRuns: runs },
      );
    },
  );
}
