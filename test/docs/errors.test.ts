import { expect, it } from 'vitest';
import { errorTable } from '../../src/base/errors.ts';
import { read, tableRows } from './markdown.ts';

const rows = tableRows(read('docs/reference/errors.md'))
  .map(({ cells }) => cells)
  .filter(([code = '']) => /^\d{4}$/.test(code));

it('docs/reference/errors.md has the code, status, name and stage of every error, and no other', () => {
  const documented = rows.map(([code, status, name, stage]) => [
    name,
    { code: Number(code), status: Number(status), stage },
  ]);
  const known = Object.entries(errorTable).map(([name, { code, status, stage }]) => [
    name,
    { code, status, stage },
  ]);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(known));
  expect(documented).toHaveLength(Object.keys(errorTable).length);
});

it('docs/reference/errors.md lists the errors in the order of their codes and says of each when and what to do', () => {
  const codes = rows.map(([code]) => Number(code));
  expect(codes).toEqual(codes.toSorted((a, b) => a - b));
  for (const [code, , , , when = '', advice = ''] of rows) {
    expect(when, code).not.toBe('');
    expect(advice, code).not.toBe('');
  }
});
