import { describe, expect, it } from 'vitest';
import {
  cellText,
  cellValue,
  columnWidth,
  columnOf,
  defaultColumns,
  deferredOf,
  fitsCsv,
  isSortable,
  uncutLength,
} from '../../../src/explorer/collection/columns.ts';
import { keywordsOf } from '../../../src/explorer/collection/totals.ts';
import { readCatalog } from '../../../src/explorer/rest/catalog.ts';
import { parseJson } from '../../../src/explorer/rest/json.ts';

const storage = (name: string, type: string, identifying = false): object => ({
  name,
  type,
  kind: 'storage',
  identifying,
});

const catalog = readCatalog(
  parseJson(
    JSON.stringify({
      dataClasses: [
        {
          name: 'Employee',
          collectionName: 'Employees',
          attributes: [
            storage('name', 'string'),
            storage('ID', 'long', true),
            storage('photo', 'image'),
            storage('extra', 'object'),
            { name: 'employer', kind: 'relatedEntity', type: 'Company' },
          ],
          key: [{ name: 'ID' }],
        },
        {
          name: 'Company',
          collectionName: 'Companies',
          attributes: [
            storage('city', 'string'),
            { name: 'staff', kind: 'relatedEntities', type: 'Employees' },
          ],
          key: [],
        },
      ],
    }),
  ),
);
const employee = [...catalog.dataclasses.values()][0] ?? expect.fail('There is no dataclass.');

describe('columnOf', () => {
  it.each([
    ['name', { path: 'name', type: 'string', isToMany: false }],
    ['employer', { path: 'employer', type: 'relation', isToMany: false }],
    ['employer.city', { path: 'employer.city', type: 'string', isToMany: false }],
    ['employer.staff.ID', { path: 'employer.staff.ID', type: 'long', isToMany: true }],
    ['extra.skills.0', { path: 'extra.skills.0', type: 'property', isToMany: false }],
    ['nothing', null],
    ['name.first', null],
    ['employer.nothing', null],
    ['', null],
  ])('knows %j', (path, column) => {
    expect(columnOf(path, employee, catalog)).toEqual(column);
  });

  it('tells what can be sorted, and what CSV has', () => {
    const of = (test: typeof isSortable): string[] =>
      ['name', 'photo', 'extra', 'employer', 'employer.city', 'employer.staff.ID'].filter(
        (path) => {
          const column = columnOf(path, employee, catalog);
          return column !== null && test(column);
        },
      );
    expect(of(isSortable)).toEqual(['name', 'employer.city']);
    expect(of(fitsCsv)).toEqual(['name', 'extra', 'employer.city']);
  });
});

describe('defaultColumns', () => {
  it('begins with the key, and leaves out what fits no cell', () => {
    expect(defaultColumns(employee)).toEqual(['ID', 'name', 'photo']);
  });
});

describe('cells', () => {
  const entity = parseJson(`{
    "__KEY": "1", "limit": 250000.0000, "big": 9007199254740993, "none": null, "hired": "2024-06-10T09:30:00.000Z",
    "extra": {"skills": ["SQL", {"a": 1.50}]},
    "employer": {"__KEY": "3", "city": "Lyon"},
    "manager": {"__deferred": {"uri": "/rest/Employee(7)", "__KEY": "7"}},
    "projects": {"__COUNT": 2, "__ENTITIES": [{"name": "A", "lead": {"n": "x"}}, {"name": null}]}
  }`) as Record<string, never>;
  it.each([
    ['limit', 'number', '250000.0000'],
    ['big', 'long64', '9007199254740993'],
    ['none', 'string', ''],
    ['nothing.at.all', 'string', ''],
    ['hired', 'date', '2024-06-10 09:30:00'],
    ['employer.city', 'string', 'Lyon'],
    ['projects.lead.n', 'string', 'x'],
    ['extra.skills', 'property', '["SQL",{"a":1.50}]'],
    ['extra.skills.0', 'property', 'SQL'],
  ] as const)('of %s show all digits and texts', (path, type, text) => {
    expect(cellText(cellValue(entity, path), type)).toBe(text);
  });

  it('know what is deferred', () => {
    expect(deferredOf(cellValue(entity, 'manager'))).toEqual({
      uri: '/rest/Employee(7)',
      key: '7',
    });
    expect(deferredOf(cellValue(entity, 'employer'))).toBeNull();
  });
});

describe('keywordsOf', () => {
  it('offers what the type can be computed by', () => {
    expect(keywordsOf('number')).toEqual(['count', 'sum', 'average', 'min', 'max']);
    expect(keywordsOf('date')).toEqual(['count', 'min', 'max']);
    expect(keywordsOf('bool')).toEqual(['count']);
    expect(keywordsOf('relation')).toEqual([]);
  });
});

describe('columnWidth', () => {
  const total = { path: 'total', type: 'number', isToMany: false } as const;

  it('has room for all digits of the longest number, and is fixed for what may be cut', () => {
    expect(columnWidth(total, uncutLength(parseJson('12376622951.4844')))).toBe(
      'max(90px, 19ch + 20px)',
    );
    expect(uncutLength(parseJson('[1.5, 12376622951.4844, null]'))).toBe(19);
    expect(uncutLength(['a', 'list'])).toBe(0);
    expect(columnWidth({ ...total, type: 'string' }, uncutLength('a long text'))).toBe('170px');
  });
});
