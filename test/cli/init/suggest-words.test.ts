import { expect, test } from 'vitest';
import { rulesSchema } from '../../../src/cli/init/rules.ts';
import { suggestedWords } from '../../../src/cli/init/yaml-text.ts';
import { schemaOf, table } from './tables.ts';

const schema = schemaOf(
  table('dbo.customers', ['customerid int', 'companyname text', 'shipvia int', 'xqzcompany text']),
  table('log.orders', ['orderid int', 'fishvia int', 'FST_NM text', 'mixedVia text']),
);

test('words whose parts are a guess are written as init.yaml takes them', () => {
  expect(suggestedWords(schema, rulesSchema.parse({}))).toBe(
    'words:\n' +
      '  fishvia: fish via # log.orders.fishvia\n' +
      '  shipvia: ship via # dbo.customers.shipvia\n' +
      '  xqzcompany: xqz company # dbo.customers.xqzcompany\n',
  );
});

test('those of tables that are not chosen, and those that a rule spells out, are not', () => {
  const rules = { exclude: ['log.*'], words: { SHIPVIA: 'carrier', xqzcompany: '' } };
  expect(suggestedWords(schema, rulesSchema.parse(rules))).toBeNull();
});
