import { beforeAll, expect, test } from 'vitest';
import { WriteStatements } from '../../../../src/run/save/rows/write-statements.ts';
import { findDataclass } from '../../../../src/model/lookup.ts';
import type { Dataclass } from '../../../../src/model/types.ts';
import { readSnapshot, sampleModel, sampleSettings } from '../../../fixtures/legacy/model.ts';
import { tsql as dialect } from '../../../fixtures/dialects.ts';

let country: Dataclass;
let company: Dataclass;
beforeAll(async () => {
  const model = await sampleModel(readSnapshot('tsql'));
  country = findDataclass(model, 'Country');
  company = findDataclass(model, 'Company');
});

test('a statement is printed once for a dataclass, and never for another', () => {
  const store = new WriteStatements(sampleSettings, dialect, 1_000_000);
  const stamped = store.deleteRows(country, true, 'one');
  expect(store.deleteRows(country, true, 'one')).toBe(stamped);
  expect(store.deleteRows(country, false, 'one')).not.toBe(stamped);
  expect(store.deleteRows(country, true, 'many')).not.toBe(stamped);
  expect(store.deleteRows(company, true, 'one').text).not.toBe(stamped.text);
  const held = store.current(country, country.key, [], 'update', 'exact');
  expect(store.current(country, country.key, [], 'update', 'exact')).toBe(held);
  expect(store.current(company, company.key, [], 'update', 'exact').statement.text).not.toBe(
    held.statement.text,
  );
});

test('what has not been used for longest goes first when there is no more room', () => {
  const store = new WriteStatements(sampleSettings, dialect, 20_000);
  const first = store.deleteRows(country, true, 'one');
  expect(store.deleteRows(country, true, 'one')).toBe(first);
  for (const rows of ['one', 'many'] as const) {
    for (const stamped of [true, false]) store.deleteRows(company, stamped, rows);
  }
  const again = store.deleteRows(country, true, 'one');
  expect(again).not.toBe(first);
  expect(again.text).toBe(first.text);
});
