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
import type { PathType } from '../../../src/explorer/collection/filter/rules.ts';
import { keywordsOf } from '../../../src/explorer/collection/totals.ts';
import { parseJson } from '../../../src/explorer/rest/json.ts';
import { parsed, rows } from '../../rows.ts';
import { catalogOf, firstOf } from '../catalog.ts';

const catalog = catalogOf(`
Employee:
  name: string
  ID: { type: long, identifying: true }
  photo: image
  extra: object
  employer: { one: Company }
Company:
  city: string
  staff: { many: EmployeeSelection }
`);
const employee = firstOf(catalog);

describe('columnOf', () => {
  it.each(rows`
    name              | {type: string, isToMany: false}
    employer          | {type: relation, isToMany: false}
    employer.city     | {type: string, isToMany: false}
    employer.staff.ID | {type: long, isToMany: true}
    extra.skills.0    | {type: property, isToMany: false}
    nothing
    name.first
    employer.nothing
    ${''}
  `)('knows %j', (path, column) => {
    expect(columnOf(path, employee, catalog)).toEqual(column ? { path, ...parsed(column) } : null);
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
  it.each(rows`
    limit            | number   | 250000.0000
    big              | long64   | 9007199254740993
    none             | string   | ${''}
    nothing.at.all   | string   | ${''}
    hired            | date     | 2024-06-10 09:30:00
    employer.city    | string   | Lyon
    projects.lead.n  | string   | x
    extra.skills     | property | ["SQL",{"a":1.50}]
    extra.skills.0   | property | SQL
  `)('of %s show all digits and texts', (path, type, text) => {
    expect(cellText(cellValue(entity, path), type as PathType)).toBe(text);
  });

  it('know what is deferred', () => {
    expect(deferredOf(cellValue(entity, 'manager'))).toEqual({
      uri: '/rest/Employee(7)',
      key: '7',
    });
    expect(deferredOf(cellValue(entity, 'employer'))).toBeNull();
  });
});

it.each(rows`
  number   | [count, sum, average, min, max]
  date     | [count, min, max]
  bool     | [count]
  relation | []
`)('of %s, what it can be computed by is offered: %s', (type, keywords) => {
  expect(keywordsOf(type as PathType)).toEqual(parsed(keywords));
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
