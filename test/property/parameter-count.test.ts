import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../src/sql/dialect.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';
import { readSnapshot, sampleModel, sampleSettings } from '../fixtures/legacy/model.ts';
import { chance, type Chance } from '../fixtures/legacy/random.ts';
import { planUrl, type BoundStatement } from '../fixtures/statements.ts';
import { seed } from './seed.ts';

const settings = { timeZone: 'Europe/Paris', bigNumbersAsStrings: false };

/**
 * A call of sp_executesql takes 2,100 parameters, and two of them are the statement and its declarations
 * (https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server).
 */
const MOST = 2098;

/** As many comparisons as a filter takes, and as many terms as a list takes. */
const COMPARISONS = 500;
const TERMS = 200;

const models = {
  postgres: await sampleModel(readSnapshot('postgres')),
  tsql: await sampleModel(readSnapshot('tsql')),
};

const dialects: readonly Dialect[] = [
  postgresDialect(settings, { version: 17 }),
  tsqlDialect(settings),
];

function statements(url: string, dialect: Dialect): readonly BoundStatement[] {
  return planUrl(url, models[dialect.name], sampleSettings, dialect).statements;
}

/** A property ten steps below an object, which no other comparison names. */
function property(name: string): string {
  return `extra.${name}.b.c.d.e.f.g.h.i.j`;
}

/** Comparisons that take the most parameters of all there are: rounded to both sides, by names of properties, and lists. */
function comparison(random: Chance, index: number): string {
  return random.pick([
    `employer.creditLimit = ${index}.12345`,
    `employer.creditLimit != ${index}.12345`,
    `${property(`a${index}`)} = ${index}`,
    `${property(`a${index}`)} in [${index}, null]`,
    `${property(`a${index}`)} != 'x'`,
    `employer.name begin 'a${index}'`,
    `grade in [${Array.from({ length: 50 }, (_, item) => (index + item) % 256).join(',')}]`,
  ]);
}

describe.each(dialects)('statements of $name', (dialect) => {
  test.each([0, 1, 2])('take no more parameters than an engine does (%s)', (round) => {
    const random = chance(seed + round);
    const filter = Array.from({ length: COMPARISONS }, (_, index) => comparison(random, index));
    const order = Array.from({ length: TERMS }, (_, index) => property(`o${index}`));
    const url = `/rest/Employee?$filter="${filter.join(' OR ')}"&$orderby="${order.join(',')}"`;
    for (const { values } of statements(encodeURI(url), dialect)) {
      expect(values.length).toBeLessThanOrEqual(MOST);
    }
  });

  test('list keys of several parts in one parameter, whatever their number', () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `${index};1`);
    const [page, count] = statements(`/rest/OrderLine(${keys.join(',')})`, dialect);
    expect([page?.values.length, count?.values.length]).toEqual([3, 1]);
    expect(JSON.parse(count?.values[0] ?? '')).toEqual(keys.map((_, at) => [at, String(at), '1']));
  });
});
