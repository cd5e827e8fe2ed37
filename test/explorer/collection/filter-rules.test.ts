import { describe, expect, it } from 'vitest';
import { rulesOfFilter } from '../../../src/explorer/collection/filter/parse-rules.ts';
import {
  comparatorsOf,
  exampleOf,
  filterOfRules,
  newRule,
  type PathType,
  type Rule,
} from '../../../src/explorer/collection/filter/rules.ts';
import { parsed, rows } from '../../rows.ts';

const TYPES: Readonly<Record<string, PathType>> = {
  ID: 'long',
  lastName: 'string',
  'employer.name': 'string',
  grade: 'word',
  active: 'bool',
  hireDate: 'date',
  employer: 'relation',
  photo: 'image',
  extra: 'object',
  'extra.level': 'property',
};

const typeOf = (path: string): PathType | null => TYPES[path] ?? null;

const rule = (
  path: string,
  comparator: Rule['comparator'],
  values: readonly string[],
  joiner: Rule['joiner'] = 'AND',
): Rule => ({ joiner, path, comparator, values });

/** The rules that a cell writes as lists of a path, a comparator and values; what joins a rule stands before them. */
const rulesIn = (cell: string): Rule[] =>
  parsed<string[][]>(`[${cell}]`).map(([path = '', comparator = '', ...values]) => {
    const [, joiner = 'AND', name = ''] = /^(?:(AND|OR|EXCEPT) )?(.*)$/.exec(path) ?? [];
    return rule(name, comparator as Rule['comparator'], values, joiner as Rule['joiner']);
  });

describe('filterOfRules', () => {
  it.each(rows`
    ${''}                                       | ${''}
    [lastName, ===, Dubois]                     | lastName === "Dubois"
    [lastName, '%', 'O"R'' OR ID = 1']         | lastName % "O\\u0022R' OR ID = 1"
    [lastName, ===, 'null']                     | lastName === "null"
    [grade, '>=', '5']                          | grade >= 5
    [grade, =, 1 OR ID = 1]                     | grade = "1 OR ID = 1"
    [hireDate, <, '2020-01-31']                 | hireDate < 2020-01-31
    [hireDate, <, '2020-01-31T08:30:00.5+02:00'] | hireDate < 2020-01-31T08:30:00.5+02:00
    [ID, IN, '1', '', '5']                      | ID IN [1, 5]
    [lastName, IN, 'a, b', ']']                 | lastName IN ["a, b", "]"]
    [active, =, 'false']                        | active = false
    [employer, '!= null']                       | employer != null
    [extra.level, '>', '3']                     | extra.level > 3
    [extra.level, ===, x]                       | extra.level === "x"
    [EXCEPT ID, <, '9'], [EXCEPT active, =, 'true'], [OR grade, = null] | ID < 9 EXCEPT active = true OR grade = null
    # Only rules that are complete.
    [ID, <, ''], ['', =, x], [OR grade, =, '1'] | grade = 1
  `)('writes %s', (written, filter) => {
    expect(filterOfRules(rulesIn(written), typeOf)).toBe(filter);
  });
});

describe('rulesOfFilter', () => {
  it.each(rows`
    ${''}                            | ${''}
    ${'  '}                          | ${''}
    lastName=Dubois                  | [lastName, =, Dubois]
    lastName like "Du@"              | [lastName, =, Du@]
    lastName IS NOT 'O\\u0027R'    | [lastName, '!==', O'R]
    grade IS 3                       | [grade, =, '3']
    grade # 3                        | [grade, '!=', '3']
    lastName begin Du                | [lastName, begin, Du]
    employer.name = Acme Freight AND lastName % ller | [employer.name, =, Acme Freight], [lastName, '%', ller]
    active                           | [active, =, 'true']
    active or ID<3                   | [active, =, 'true'], [OR ID, <, '3']
    ID in (1,2, "5")                 | [ID, IN, '1', '2', '5']
    employer IS NOT NULL             | [employer, '!= null']
    grade == null                    | [grade, = null]
    lastName = De la Cruz            | [lastName, =, De la Cruz]
    lastName = "null"                | [lastName, =, 'null']
    hireDate>=2020-01-31T08:30:00Z   | [hireDate, '>=', '2020-01-31T08:30:00Z']
  `)('reads %j', (filter, read) => {
    expect(rulesOfFilter(filter, typeOf)).toEqual(rulesIn(read));
  });

  it.each(
    rows`
      NOT (active)    | (ID = 1)         | ID = 1 OR (ID = 2 AND active) | ID = :1     | ID            | nothing = 1 | lastName = "Du
      ID begin 1      | active > true    | active != false               | photo = 1   | grade > null  | ID IN 1     | hireDate = 31!12!2024
      ID = 1 AND      | ID =             | ID ~ 3                        | lastName = 'O'Reilly'       | ID IN [1, null]
    `.flat(),
  )('leaves %j to the line', (filter) => {
    expect(rulesOfFilter(filter, typeOf)).toBeNull();
  });

  it('reads what filterOfRules writes, for every comparator of every type', () => {
    const rules = Object.entries(TYPES).flatMap(([path, type]) =>
      comparatorsOf(type).map((comparator) => {
        const values = comparator.endsWith('null') ? [] : type === 'bool' ? ['true'] : ['1', '2'];
        return rule(path, comparator, comparator === 'IN' ? values : values.slice(0, 1), 'OR');
      }),
    );
    const [first, ...others] = rules;
    const expected = first === undefined ? [] : [{ ...first, joiner: 'AND' }, ...others];
    expect(rulesOfFilter(filterOfRules(rules, typeOf), typeOf)).toEqual(expected);
  });
});

describe('exampleOf', () => {
  it.each(rows`
    long     | a > 10
    string   | a begin "A"
    date     | a >= 2024-12-31
    duration | a < 08:30:00
    bool     | a = true
    uuid     | a != null
    relation | a != null
  `)('is a filter on %s that can be shown as rules', (type, example) => {
    expect(exampleOf('a', type as PathType)).toBe(example);
    expect(rulesOfFilter(example, () => type as PathType)).toHaveLength(1);
  });
});

describe('newRule', () => {
  it('begins with the usual comparator of the type', () => {
    expect(newRule('lastName', 'string')).toEqual(rule('lastName', '===', ['']));
    expect(newRule('active', 'bool')).toEqual(rule('active', '=', ['true']));
    expect(newRule('photo', 'image')).toEqual(rule('photo', '= null', ['']));
  });
});
