import { expect } from 'vitest';
import type { Answer, Gateway } from '../targets/gateway.ts';

interface Catalog {
  readonly dataClasses: readonly Entry[];
}

interface Entry {
  readonly name: string;
  readonly attributes: readonly Member[];
  readonly key: readonly { readonly name: string }[];
  readonly collectionName: string;
  readonly tableNumber: number;
  readonly extraProperties: { readonly description?: string; readonly changes: readonly string[] };
}

interface Member {
  readonly name: string;
  readonly kind: 'storage' | 'relatedEntity' | 'relatedEntities';
  readonly type: string;
  readonly identifying?: boolean;
  readonly autosequence?: boolean;
  readonly extraProperties?: { readonly description?: string; readonly optional?: true };
  readonly path?: string;
  readonly foreignKey?: string;
  readonly inverseName?: string;
  readonly [more: string]: unknown;
}

const UUID: unknown = expect.stringMatching(/^[0-9A-F]{32}$/);
const PUBLIC = { scope: 'public', exposed: true, uuid: UUID };

/**
 * Asks the catalog for dataclasses, and answers their names, or one of them in short, as catalog.cases shows it. It fails where `$catalog/$all` has them
 * otherwise, and where they say more than what is shown, or what all have to say.
 */
export async function catalogOf(gateway: Gateway, names: string): Promise<Answer> {
  const answer = await gateway.get(`/rest/$catalog/${names}`);
  const { dataClasses: found, ...about } = answer.body as Catalog;
  expect(about).toEqual({
    ...{ __UNIQID: UUID, __BASEID: null, __NAME: 'Legacy ERP', methods: [] },
    properties: { supportJSONEntityKey: true },
  });
  const { dataClasses: all } = (await gateway.get('/rest/$catalog/$all')).body as Catalog;
  const asked = names === '$all' ? all.map(({ name }) => name) : names.split(',');
  expect(found).toEqual(asked.map((name) => all.find((one) => one.name === name)));
  const [one, ...others] = found;
  return { ...answer, body: one === undefined || others.length > 0 ? asked : shown(one) };
}

function shown(entry: Entry): string {
  const { name, attributes, key, collectionName, tableNumber, extraProperties, ...rest } = entry;
  expect(rest).toEqual({ ...PUBLIC, className: name, dataURI: `/rest/${name}` });
  const { description, changes, ...others } = extraProperties;
  expect(others).toEqual({
    ...{
      panelColor: expect.any(String),
      position: { x: expect.any(Number), y: expect.any(Number) },
    },
    ...{ stamp: expect.any(String), required: expect.any(Array) },
    // Views have none, and on SQL Server only tables with a rowversion.
    tracking: expect.toBeOneOf([{ by: expect.any(String), deleted: false }, null]),
  });
  const isView = attributes.every(({ kind, readOnly }) => kind !== 'storage' || readOnly === true);
  if (!isView) expect(changes).toEqual(['create', 'update', 'delete']);
  const members = attributes.map((member, index) => {
    expect(member).toMatchObject({ ...PUBLIC, fieldPos: index + 1 });
    return member.kind === 'storage' ? attributeText(member) : relationText(member);
  });
  const kind = isView ? 'view' : 'table';
  const head = `${kind} ${tableNumber}, ${collectionName}${inParentheses(description)}`;
  return [head, `key ${key.map((part) => part.name).join()}`, ...members].join('; ');
}

const inParentheses = (text = ''): string => (text === '' ? '' : ` (${text})`);

/** `code string(20) unique indexed`. Engines differ in whether what is computed may be null. */
function attributeText(attribute: Member): string {
  const { name, type, maxLength, readOnly, identifying, extraProperties, ...rest } = attribute;
  const { description, optional, ...others } = extraProperties ?? {};
  const flags = {
    ...{ readOnly, identifying, auto: rest.autosequence, optional },
    ...{ unique: rest['unique'], indexed: rest['indexed'] },
    null: rest['not_null'] === false && (readOnly !== true || identifying),
  };
  expect([rest, others, Object.values(flags).filter((flag) => typeof flag !== 'boolean')]).toEqual([
    {
      ...{ ...PUBLIC, kind: 'storage', fieldPos: rest['fieldPos'] },
      ...{ indexed: flags.indexed, unique: flags.unique, autosequence: flags.auto },
      not_null: expect.any(Boolean),
    },
    {},
    [readOnly, optional].filter((flag) => flag === undefined),
  ]);
  // PostgreSQL has no integer of one byte.
  const told = type === 'byte' ? 'word' : type;
  const size = maxLength === undefined ? '' : `(${JSON.stringify(maxLength)})`;
  const set = Object.entries(flags).flatMap(([flag, isSet]) => (isSet === true ? [flag] : []));
  return [name, `${told}${size}`, ...set].join(' ') + inParentheses(description);
}

/** `employer to Company by companyID back employees`, `projects to ProjectSelection over assignments.project`. */
function relationText(relation: Member): string {
  const { name, kind, type, path, foreignKey, inverseName, extraProperties, ...rest } = relation;
  const isMany = kind === 'relatedEntities';
  const { description, ...others } = extraProperties ?? {};
  const reverse = isMany ? { reversePath: true } : {};
  expect([rest, others]).toEqual([{ ...PUBLIC, fieldPos: rest['fieldPos'], ...reverse }, {}]);
  const over = path === (isMany ? inverseName : type) ? '' : path;
  const told = { to: type, by: foreignKey ?? '', over, back: inverseName ?? '' };
  const words = Object.entries(told).filter(([, value]) => value !== '');
  return [name, ...words.flat()].join(' ') + inParentheses(description);
}
