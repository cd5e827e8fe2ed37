import { expect, test } from 'vitest';
import { atOnce, TimeSlice } from '../../../src/base/time.ts';
import { parseBody } from '../../../src/protocol/body/body.ts';
import { outermost, readEntity } from '../../../src/run/body/body-entity.ts';
import { sampleModel, readSnapshot } from '../../fixtures/legacy/model.ts';
import { postgresDialect } from '../../../src/sql/postgres/dialect.ts';

const model = await sampleModel(readSnapshot('postgres'));
const dialect = postgresDialect({ timeZone: 'UTC', bigNumbersAsStrings: false }, { version: 17 });

/** What is told of each order of a body, in the order of the body: messages, or how many lines it is to have. */
async function told(orders: readonly object[], maxEntities: number): Promise<unknown[]> {
  const dataclass = model.dataclasses.get('Order');
  const bytes = Buffer.from(JSON.stringify(orders));
  const slice = new TimeSlice();
  const parsed = await parseBody({ contentType: undefined, bytes }, { slice, maxEntities });
  if (dataclass === undefined || parsed === null) throw new Error('there are no orders');
  const context = {
    dataclass,
    method: 'update' as const,
    atomic: true,
    urlKey: null,
    urlAttribute: null,
    limits: dialect.limits,
    findUpload: () => undefined,
    position: outermost({ maxDepth: 5, maxEntities }),
  };
  const all: unknown[] = [];
  for (const [index, order] of parsed.entities.entries()) {
    const reading = readEntity(order, index, context);
    const read = 'next' in reading ? atOnce(reading) : reading;
    if ('error' in read) all.push(read.error.toItems().map(({ message }) => message));
    else all.push(read.nested.map(({ entities }) => entities.length));
  }
  return all;
}

function lines(count: number, line: object = { quantity: 1 }): object[] {
  return Array.from({ length: count }, (_, at) => ({ line: at + 1, ...line }));
}

test('of the objects within an entity a hundred mistakes are told besides the first', async () => {
  const wrong = Array.from(
    { length: 101 },
    (_, at) =>
      `lines[${at}].quantity: "x" is not a value for OrderLine.quantity: expected a whole number from -2147483648 to 2147483647.`,
  );
  const [messages] = await told([{ lines: lines(500, { quantity: 'x' }) }], 1000);
  expect(messages).toEqual(wrong);
});

test('that there are too many objects is told once of each entity, and none of them is saved in part', async () => {
  const tooMany =
    'The body holds more than 10 objects; at most as many are allowed, those within others counted as well.';
  expect(
    await told([{ lines: lines(8) }, { lines: lines(500) }, { lines: lines(2) }, {}], 10),
  ).toEqual([[8], [tooMany], [tooMany], []]);
});
