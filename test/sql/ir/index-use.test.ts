import { expect, test } from 'vitest';
import { planRead } from '../../../src/plan/read/read.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import {
  planning,
  readSnapshot,
  sampleModel,
  sampleSettings,
} from '../../fixtures/legacy/model.ts';

const settings = { ...sampleSettings, ignoreCase: false };
const model = await sampleModel(readSnapshot('postgres'), settings);
const foldingModel = await sampleModel(readSnapshot('postgres'));

/** The columns that a filter of employees seeks their rows by; null where it seeks none, or does more than that. */
function filtered(filter: string, ignoreCase = false): readonly string[] | null {
  const { ast } = parseRequest(`/rest/Employee?$filter=${encodeURIComponent(`"${filter}"`)}`);
  if (ast.kind !== 'read') throw new Error(`${filter} is not a read`);
  const { fetch, count } = planRead(ast, planning(ignoreCase ? foldingModel : model));
  const found = fetch.statement.filtered;
  expect(count?.filtered).toEqual(found);
  const isOwn = found?.every(({ isRelated }) => !isRelated) ?? false;
  expect(fetch.statement.together !== undefined).toBe(isOwn);
  return (
    found?.map(
      ({ schema, table, column, isRelated }) =>
        `${schema} ${table} ${column}${isRelated ? ' (related)' : ''}`,
    ) ?? null
  );
}

const NAME = 'HR TBL_EMP LAST_NM';
const EMAIL = 'HR TBL_EMP EMAIL';

test.each([
  ['lastName = Smith', [NAME]],
  ["lastName === 'Sm@'", [NAME]],
  ['lastName = Smith AND email = x', [NAME, EMAIL]],
  ['lastName = Smith OR email = x', [NAME, EMAIL]],
  ['lastName = Smith AND phone = null', [NAME]],
  ['lastName = Smith AND phone != null', [NAME]],
  ['employer.ID = 3', ['SALES CMP_MST CMP_ID (related)']],
])('%s seeks', (filter, columns) => {
  expect(filtered(filter)).toEqual(columns);
});

test.each([
  'ID > 0',
  'lastName = "Sm@"',
  'lastName begin Sm',
  'lastName != Smith',
  'lastName = Smith AND ID > 3',
  'lastName = Smith OR ID > 3',
  'NOT (lastName = Smith)',
  'lastName IN [Smith, Jones]',
  'extra.level = 3',
  'phone = null',
])('%s does not, or more', (filter) => {
  expect(filtered(filter)).toBeNull();
});

test('text that is compared in one case is none that a column holds', () => {
  expect(filtered('lastName = Smith', true)).toBeNull();
});

test('what leads to many seeks there', () => {
  expect(filtered('directReports.lastName = Smith')).toEqual([`${NAME} (related)`]);
  expect(filtered('email = x AND directReports.lastName = Smith')).toEqual([
    EMAIL,
    `${NAME} (related)`,
  ]);
  expect(filtered('directReports.ID > 3')).toBeNull();
});

test('a page without a filter seeks nothing', () => {
  const { ast } = parseRequest('/rest/Employee');
  if (ast.kind !== 'read') throw new Error('no read');
  const { statement } = planRead(ast, planning(model)).fetch;
  expect([statement.filtered, statement.together]).toEqual([undefined, undefined]);
});
