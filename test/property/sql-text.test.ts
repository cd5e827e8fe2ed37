import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import {
  isRelation,
  isStored,
  type Dataclass,
  type Model,
  type StorageAttribute,
} from '../../src/model/types.ts';
import type { ColumnRef, SelectQuery } from '../../src/sql/ir/ir.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';
import type { Dialect, DialectSettings } from '../../src/sql/dialect.ts';
import { readSnapshot, sampleModel, sampleSettings } from '../fixtures/legacy/model.ts';
import { chance, type Chance } from '../fixtures/legacy/random.ts';
import { planUrl, type BoundStatement, type PlannedRequest } from '../fixtures/statements.ts';
import { seed } from './seed.ts';

/** Long numbers are found again in a statement: no short one would be. */
const unlimited = { ...sampleSettings, limits: { ...sampleSettings.limits, maxTop: 1e15 } };
const settings: DialectSettings = { timeZone: 'Europe/Paris', bigNumbersAsStrings: false };

const dialects: readonly Dialect[] = [
  postgresDialect(settings, { version: 14 }),
  postgresDialect(settings, { version: 17 }),
  tsqlDialect(settings),
];

const schema = readSnapshot('postgres');
/** Without PostgreSQL's system column, so that any dialect can print it. */
const model: Model = await sampleModel({
  tables: schema.tables.map((table) => ({ ...table, rowVersion: null })),
});
const dataclasses = [...model.dataclasses.values()].filter(({ key }) => key.length > 0);

/** A value with a mark that the gateway has no reason to write: what is looked for in the statements. */
interface Marked {
  readonly text: string;
  readonly mark: string;
}

const quotes = [...String.raw`' " \ ] % ; -- /*! $1 :1 ? {`.split(' '), '\u0007', 'é', '🚀', ''];

function digits(random: Chance, count: number): string {
  return Array.from({ length: count }, () => String(random.int(1, 9))).join('');
}

/** A value that the attribute's type holds. */
function value(attribute: StorageAttribute, random: Chance): Marked {
  const { columnType } = attribute;
  const marked = (mark: string, text = mark): Marked => ({ mark, text });
  const date = (): string =>
    `${random.int(3001, 9000)}-${random.int(10, 12)}-${random.int(10, 28)}`;
  switch (columnType.kind) {
    case 'integer':
      if (columnType.bits === 64) return marked(digits(random, 17));
      return marked(columnType.bits === 32 ? `1${digits(random, 8)}` : `2${digits(random, 4)}`);
    case 'decimal':
      // As many digits before the point as the narrowest column has.
      return marked(`${digits(random, 2)}.${digits(random, 6)}`);
    case 'float':
      return marked(`${digits(random, 4)}.${digits(random, 3)}`);
    case 'boolean':
      return marked('\u0000', random.pick(['true', 'false']));
    case 'date':
      return marked(date());
    case 'timestamp': {
      const mark = date();
      return marked(mark, `${mark}T${random.int(10, 23)}:${random.int(10, 59)}:00Z`);
    }
    case 'time':
      return marked(`${random.int(10, 23)}:${random.int(10, 59)}:${random.int(10, 59)}`);
    case 'hex':
      return marked(digits(random, 8));
    case 'uuid': {
      const mark = random.hex(8);
      return marked(mark, `${mark}-0000-4000-8000-${random.hex(12)}`);
    }
    case 'text':
    case 'opaque':
    case 'json':
    case 'binary': {
      const mark = `zq${random.hex(10)}qz`;
      return marked(mark, random.pick(quotes) + mark + random.pick(quotes));
    }
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '\\u0027')}'`;
}

/** One half of a pair of requests that differ in their values only. */
class Draft {
  readonly marks: string[] = [];
  readonly #random: Chance;

  constructor(random: Chance) {
    this.#random = random;
  }

  take(attribute: StorageAttribute): string {
    const { text, mark } = value(attribute, this.#random);
    this.marks.push(mark);
    return text;
  }
}

type Part = (draft: Draft) => string;

/** A condition: its structure is drawn here, once for both requests of a pair; its values later, for each. */
function condition(dataclass: Dataclass, random: Chance, depth: number): Part {
  if (depth > 0 && random.oneIn(2)) {
    const [left, right] = [
      condition(dataclass, random, depth - 1),
      condition(dataclass, random, depth - 1),
    ];
    const joint = random.pick([' and ', ' or ', ' except ']);
    const not = random.oneIn(4) ? 'not' : '';
    return (draft) => `${not}(${left(draft)}${joint}${right(draft)})`;
  }
  let here = dataclass;
  const path: string[] = [];
  for (let hops = random.int(0, 3); hops > 0; hops -= 1) {
    const relations = [...here.members.values()].filter(isRelation);
    if (relations.length === 0) break;
    const relation = random.pick(relations);
    path.push(relation.name);
    here = relation.target;
  }
  const attribute = random.pick(
    [...here.members.values()].filter(
      (member): member is StorageAttribute =>
        isStored(member) && member.columnType.kind !== 'binary',
    ),
  );
  path.push(attribute.name);
  const { kind } = attribute.columnType;
  // What the client calls a property of a JSON column is not a name of the database: it, too, has to stay out of the text.
  const property = `pq${random.hex(10)}`;
  if (kind === 'json') path.push(property);
  const name = path.join('.');
  const comparators = ['=', '!=', '===', '!==', 'in', ':in', ':='];
  if (kind !== 'boolean') comparators.push('<', '>=');
  if (kind === 'text' || kind === 'json') comparators.push('begin', '%', '=@', '!=@');
  const comparator = random.pick(comparators);
  const count = random.int(1, 3);
  return (draft) => {
    if (kind === 'json') draft.marks.push(property);
    const one = (): string => quoted(draft.take(attribute));
    switch (comparator) {
      case 'in':
        return `${name} in [${Array.from({ length: count }, one).join(',')}]`;
      case '=@':
      case '!=@':
        return `${name} ${comparator.slice(0, -1)} '@${one().slice(1)}`;
      default:
        return `${name} ${comparator.replace(':', '')} ${comparator === ':in' ? `[${one()}]` : one()}`;
    }
  };
}

function keyPart(dataclass: Dataclass, random: Chance): Part {
  const isList = dataclass.key.length === 1 && random.oneIn(3);
  const selector = random.int(0, 2);
  return (draft) => {
    const one = (): string =>
      dataclass.key.map((attribute) => `"${encodeURIComponent(draft.take(attribute))}"`).join(';');
    if (selector === 0) return '';
    return isList ? `(${one()},${one()})` : `(${one()})`;
  };
}

/** A random request as a pair that differs in its values only. */
function pair(random: Chance): readonly [first: Request, second: Request] {
  const dataclass = random.pick(dataclasses);
  const key = keyPart(dataclass, random);
  const filter = random.oneIn(5) ? null : condition(dataclass, random, 3);
  const sortable = [...dataclass.members.values()].filter(
    (member) => isStored(member) && !['json', 'binary'].includes(member.columnType.kind),
  );
  const orderBy = random.oneIn(2) ? `&$orderby="${random.pick(sortable).name} desc"` : '';
  const relation = [...dataclass.members.values()].find(isRelation);
  const attributes =
    relation === undefined || random.oneIn(2) ? '' : `&$attributes=*,${relation.name}.*`;
  const request = (): Request => {
    const draft = new Draft(random);
    const top = `7${digits(random, 8)}`;
    const path = `/rest/${dataclass.name}${key(draft)}`;
    const filterText = filter === null ? '' : `&$filter="${encodeURIComponent(filter(draft))}"`;
    const isOne = path.endsWith(')') && !path.includes('","');
    const query = isOne ? '' : `${filterText}${orderBy}`;
    if (isOne) return { url: `${path}?$top=${top}${attributes}`, marks: [...draft.marks, top] };
    draft.marks.push(top);
    return { url: `${path}?$top=${top}${query}${attributes}`, marks: draft.marks };
  };
  return [request(), request()];
}

interface Request {
  readonly url: string;
  readonly marks: readonly string[];
}

/** Null for a request that walks over more relations than one may: both of a pair do. */
function planned({ url }: Request, dialect: Dialect): PlannedRequest | null {
  try {
    return planUrl(url, model, unlimited, dialect);
  } catch (error) {
    if (error instanceof ProtocolError && error.message.includes('walk over more than'))
      return null;
    const message = error instanceof ProtocolError ? error.message : String(error);
    throw new Error(`seed ${seed}: ${decodeURIComponent(url)}: ${message}`, { cause: error });
  }
}

/** Whether a text holds a mark; digits count only where they are not part of a longer constant of the printer's. */
function holds(text: string, mark: string): boolean {
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    const around = `${text[at - 1] ?? ''}${text[at + mark.length] ?? ''}`;
    if (!/^\d+$/.test(mark) || !/\d/.test(around)) return true;
  }
  return false;
}

describe.each(dialects)('SQL text of $name', (dialect) => {
  test('holds no value of a client, and is the same for all requests of a shape', () => {
    const random = chance(seed);
    let bound = 0;
    for (let run = 0; run < 1500; run += 1) {
      const [first, second] = pair(random);
      const [one, other] = [planned(first, dialect), planned(second, dialect)];
      if (one === null || other === null) {
        expect({ seed, url: first.url, one, other }).toEqual({
          seed,
          url: first.url,
          one: null,
          other: null,
        });
        continue;
      }
      const texts = one.statements.map(({ text }) => text);
      expect({ seed, url: second.url, texts: other.statements.map(({ text }) => text) }).toEqual({
        seed,
        url: second.url,
        texts,
      });
      expect({ seed, shape: other.parsed.shape }).toEqual({ seed, shape: one.parsed.shape });
      const found = [...first.marks, ...second.marks].filter((mark) =>
        texts.some((text) => holds(text, mark)),
      );
      expect({ seed, url: first.url, found }).toEqual({ seed, url: first.url, found: [] });
      const values = one.statements.flatMap((statement) => statement.values).join('\n');
      bound += first.marks.filter((mark) => values.includes(mark)).length;
    }
    // The marks do arrive, as parameters: else nothing was looked for.
    expect(bound).toBeGreaterThan(2000);
  });

  test('quotes any name so that it stands for itself', () => {
    const random = chance(seed);
    for (let run = 0; run < 3000; run += 1) {
      const [schemaName, table, column] = [anyName(random), anyName(random), anyName(random)];
      const operand: ColumnRef = {
        kind: 'column',
        alias: 't0',
        name: column,
        type: { kind: 'integer', bits: 32, signed: true, native: 'int' },
        nullable: true,
      };
      const query: SelectQuery = {
        kind: 'select',
        outputs: [{ kind: 'value', operand }],
        from: { schema: schemaName, name: table, alias: 't0' },
        joins: [],
        where: { kind: 'isNull', negated: false, operand },
        orderBy: [],
        window: null,
      };
      const { text, names } = withoutNames(dialect.print(query).text);
      expect({ seed, text, names }).toEqual({
        seed,
        text: 'SELECT t0.? FROM ?.? t0 WHERE t0.? IS NULL',
        names: [column, schemaName, table, column],
      });
    }
  });
});

const pieces = [...String.raw`" "" "." ] [ ' . ; -- /* */ $1 @p1 \ ${'`'}`.split(' '), ' ', '\n'];
const words = [
  'SELECT',
  'table',
  'ORDER',
  'Größe',
  '名前',
  '🚀',
  'DROP TABLE x',
  'a',
  'é',
  '\u00a0',
];

function anyName(random: Chance): string {
  return Array.from({ length: random.int(1, 5) }, () =>
    random.pick(random.oneIn(2) ? pieces : words),
  ).join('');
}

/** The names of a statement, read as an engine reads quoted identifiers, and the text without them. */
function withoutNames(sql: string): { readonly text: string; readonly names: readonly string[] } {
  const names: string[] = [];
  let text = '';
  for (let at = 0; at < sql.length; at += 1) {
    if (sql[at] !== '"') {
      text += sql[at] ?? '';
      continue;
    }
    let name = '';
    for (at += 1; at < sql.length; at += 1) {
      if (sql[at] === '"') {
        if (sql[at + 1] !== '"') break;
        at += 1;
      }
      name += sql[at] ?? '';
    }
    names.push(name);
    text += '?';
  }
  return { text, names };
}

/**
 * A call of sp_executesql takes 2,100 parameters, and two of them are the statement and its declarations
 * (https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server).
 */
const MOST = 2098;

/** As many comparisons as a filter takes, and as many terms as a list takes. */
const COMPARISONS = 500;
const TERMS = 200;

/** As each engine has it. */
const ownModels = {
  postgres: await sampleModel(schema),
  tsql: await sampleModel(readSnapshot('tsql')),
};

/** A property ten steps below an object, which no other comparison names. */
function property(name: string): string {
  return `extra.${name}.b.c.d.e.f.g.h.i.j`;
}

/** Comparisons that take the most parameters of all there are: rounded to both sides, by names of properties, and lists. */
function manyParameters(random: Chance, index: number): string {
  return random.pick([
    `employer.creditLimit = ${index}.12345`,
    `employer.creditLimit != ${index}.12345`,
    `${property(`a${index}`)} = ${index}`,
    `${property(`a${index}`)} in [${index}, null]`,
    `${property(`a${index}`)} != 'x'`,
    `employer.name begin 'a${index}'`,
    `grade in [${Array.from({ length: 50 }, (_, item) => (index + item) % 256).join(',')}]`,
  ]);
}

describe.each(dialects)('statements of $name', (dialect) => {
  const statements = (url: string): readonly BoundStatement[] =>
    planUrl(url, ownModels[dialect.name], sampleSettings, dialect).statements;

  test.each([0, 1, 2])('take no more parameters than an engine does (%s)', (round) => {
    const random = chance(seed + round);
    const filter = Array.from({ length: COMPARISONS }, (_, index) => manyParameters(random, index));
    const order = Array.from({ length: TERMS }, (_, index) => property(`o${index}`));
    const url = `/rest/Employee?$filter="${filter.join(' OR ')}"&$orderby="${order.join(',')}"`;
    for (const { values } of statements(encodeURI(url))) {
      expect(values.length).toBeLessThanOrEqual(MOST);
    }
  });

  test('list keys of several parts in one parameter, whatever their number', () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `${index};1`);
    const [page, count] = statements(`/rest/OrderLine(${keys.join(',')})`);
    expect([page?.values.length, count?.values.length]).toEqual([3, 1]);
    expect(JSON.parse(count?.values[0] ?? '')).toEqual(keys.map((_, at) => [at, String(at), '1']));
  });
});
