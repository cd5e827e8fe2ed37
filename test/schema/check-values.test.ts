import { expect, test } from 'vitest';
import { listedValues } from '../../src/schema/check-values.ts';

test.each([
  [
    "((status)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[]))",
    'ab',
  ],
  ["(status = ANY (ARRAY['a'::text, 'b'::text]))", 'ab'],
  ["(status = ANY (ARRAY['a'::bpchar, 'b'::bpchar]))", 'ab'],
  ["(status = ANY (ARRAY['a'::character(1), 'b'::character(1)]))", 'ab'],
  ["((status IS NULL) OR (status = ANY (ARRAY['a'::text, 'b'::text])))", 'ab'],
  ["((status = 'a'::text) OR (status = 'b'::text))", 'ab'],
  ['("status" = \'a\'::text)', 'a'],
  ['(status = ANY (ARRAY[1, 2]))', '12'],
  ["([status]='b' OR [status]='a')", 'ba'],
  ["([Status]=N'b' OR [Status] IS NULL OR [Status]=N'a')", 'ba'],
  ['([status]=(2) OR [status]=(1))', '21'],
  ['("status" IN (\'a\'))', null],
  ["(status <> 'a'::text)", null],
  ["((status = 'a'::text) AND (other = 'b'::text))", null],
  ["((status = 'a'::text) OR (other = 'b'::text))", null],
  ["(NOT (status = 'a'::text))", null],
  ["(upper(status) = ANY (ARRAY['a'::text, 'b'::text]))", null],
  ["(lower((status)::text) = 'a'::text)", null],
  ["(status = ANY (ARRAY['a'::text, NULL::text]))", null],
  ["(status = E'a\\\\b'::text)", null],
  ["(status = 'a'::text) NOT ENFORCED", null],
  ['(status > 0)', null],
  ['(status IS NULL)', null],
  ["('a'::text = status)", null],
  ['', null],
])('%s lists %s', (definition, values) => {
  expect(listedValues(definition, 'status')?.join('') ?? null).toBe(values);
});

test('values keep their quotes, signs and digits', () => {
  expect(listedValues("(s = ANY (ARRAY['it''s'::text, ''::text, 'a OR b'::text]))", 's')).toEqual([
    "it's",
    '',
    'a OR b',
  ]);
  expect(
    listedValues("(n = ANY (ARRAY[('-1'::integer)::numeric, 1.50, (2)::numeric(8,2)]))", 'n'),
  ).toEqual(['-1', '1.50', '2']);
  expect(listedValues('([a]]b]=(-1))', 'a]b')).toEqual(['-1']);
});
