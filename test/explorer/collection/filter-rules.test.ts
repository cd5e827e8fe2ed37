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

describe('filterOfRules', () => {
  it.each<[string, readonly Rule[], string]>([
    ['nothing', [], ''],
    ['a text', [rule('lastName', '===', ['Dubois'])], 'lastName === "Dubois"'],
    [
      'quotes in a text, and what looks like more of the filter',
      [rule('lastName', '%', [`O"R' OR ID = 1`])],
      `lastName % "O\\u0022R' OR ID = 1"`,
    ],
    ['a text that is a keyword', [rule('lastName', '===', ['null'])], 'lastName === "null"'],
    ['a number', [rule('grade', '>=', ['5'])], 'grade >= 5'],
    ['what is no number', [rule('grade', '=', ['1 OR ID = 1'])], 'grade = "1 OR ID = 1"'],
    ['a date', [rule('hireDate', '<', ['2020-01-31'])], 'hireDate < 2020-01-31'],
    [
      'a moment',
      [rule('hireDate', '<', ['2020-01-31T08:30:00.5+02:00'])],
      'hireDate < 2020-01-31T08:30:00.5+02:00',
    ],
    ['a list', [rule('ID', 'IN', ['1', '', '5'])], 'ID IN [1, 5]'],
    ['a list of texts', [rule('lastName', 'IN', ['a, b', ']'])], 'lastName IN ["a, b", "]"]'],
    ['a boolean', [rule('active', '=', ['false'])], 'active = false'],
    ['null', [rule('employer', '!= null', [])], 'employer != null'],
    ['a number of an object', [rule('extra.level', '>', ['3'])], 'extra.level > 3'],
    ['a text of an object', [rule('extra.level', '===', ['x'])], 'extra.level === "x"'],
    [
      'several, joined in their order',
      [
        rule('ID', '<', ['9'], 'EXCEPT'),
        rule('active', '=', ['true'], 'EXCEPT'),
        rule('grade', '= null', [], 'OR'),
      ],
      'ID < 9 EXCEPT active = true OR grade = null',
    ],
    [
      'no rule that is not complete',
      [rule('ID', '<', ['']), rule('', '=', ['x']), rule('grade', '=', ['1'], 'OR')],
      'grade = 1',
    ],
  ])('writes %s', (_, rules, filter) => {
    expect(filterOfRules(rules, typeOf)).toBe(filter);
  });
});

describe('rulesOfFilter', () => {
  it.each<[string, readonly Rule[]]>([
    ['', []],
    ['  ', []],
    ['lastName=Dubois', [rule('lastName', '=', ['Dubois'])]],
    ['lastName like "Du@"', [rule('lastName', '=', ['Du@'])]],
    [`lastName IS NOT 'O\\u0027R'`, [rule('lastName', '!==', ["O'R"])]],
    ['grade IS 3', [rule('grade', '=', ['3'])]],
    ['grade # 3', [rule('grade', '!=', ['3'])]],
    ['lastName begin Du', [rule('lastName', 'begin', ['Du'])]],
    [
      'employer.name = Acme Freight AND lastName % ller',
      [rule('employer.name', '=', ['Acme Freight']), rule('lastName', '%', ['ller'])],
    ],
    ['active', [rule('active', '=', ['true'])]],
    ['active or ID<3', [rule('active', '=', ['true']), rule('ID', '<', ['3'], 'OR')]],
    ['ID in (1,2, "5")', [rule('ID', 'IN', ['1', '2', '5'])]],
    ['employer IS NOT NULL', [rule('employer', '!= null', [])]],
    ['grade == null', [rule('grade', '= null', [])]],
    ['lastName = De la Cruz', [rule('lastName', '=', ['De la Cruz'])]],
    ['lastName = "null"', [rule('lastName', '=', ['null'])]],
    ['hireDate>=2020-01-31T08:30:00Z', [rule('hireDate', '>=', ['2020-01-31T08:30:00Z'])]],
  ])('reads %j', (filter, rules) => {
    expect(rulesOfFilter(filter, typeOf)).toEqual(rules);
  });

  it.each([
    'NOT (active)',
    '(ID = 1)',
    'ID = 1 OR (ID = 2 AND active)',
    'ID = :1',
    'ID',
    'nothing = 1',
    'lastName = "Du',
    `lastName = 'O'Reilly'`,
    'ID begin 1',
    'active > true',
    'active != false',
    'photo = 1',
    'grade > null',
    'ID IN [1, null]',
    'ID IN 1',
    'hireDate = 31!12!2024',
    'ID = 1 AND',
    'ID =',
    'ID ~ 3',
  ])('leaves %j to the line', (filter) => {
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
  it.each([
    ['long', 'a > 10'],
    ['string', 'a begin "A"'],
    ['date', 'a >= 2024-12-31'],
    ['duration', 'a < 08:30:00'],
    ['bool', 'a = true'],
    ['uuid', 'a != null'],
    ['relation', 'a != null'],
  ] as const)('is a filter on %s that can be shown as rules', (type, example) => {
    expect(exampleOf('a', type)).toBe(example);
    expect(rulesOfFilter(example, () => type)).toHaveLength(1);
  });
});

describe('newRule', () => {
  it('begins with the usual comparator of the type', () => {
    expect(newRule('lastName', 'string')).toEqual(rule('lastName', '===', ['']));
    expect(newRule('active', 'bool')).toEqual(rule('active', '=', ['true']));
    expect(newRule('photo', 'image')).toEqual(rule('photo', '= null', ['']));
  });
});
