import { expect, test } from 'vitest';
import { TimeSlice } from '../../../src/base/time.ts';
import type { Row } from '../../../src/database/database.ts';
import { DataRows, readRows } from '../../../src/database/postgres/row-reader.ts';
import { type EntitySetPlan, planEntitySet } from '../../../src/plan/read/entity-set.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import {
  compileEncodedSet,
  compileEntitySet,
} from '../../../src/answer/entities/collection-writer.ts';
import { dataRow } from '../../database/postgres/messages.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';

const model = await sampleModel(readSnapshot('postgres'));

function printed(query: string): EntitySetPlan {
  const { ast } = parseRequest(`/rest/Employee/$entityset/${'A'.repeat(32)}${query}`);
  if (ast.kind !== 'entitySet') throw new Error(`${query} is not a request for an entity set`);
  return planEntitySet(ast, planning(model));
}

const told = { count: 9, first: 3, globalStamp: '12' };

/** What the rows of some places are answered with by way of their bytes, and by way of their texts. */
async function both(
  set: EntitySetPlan,
  places: readonly number[],
  setId: string | null = null,
): Promise<[string, string]> {
  const present = places.filter((place) => place !== -1);
  const found = new DataRows();
  const rows: Row[] = [];
  for (const place of present) {
    const values = set.page.readers.map((_reader, column) => String(place + column));
    const bytes = dataRow(values);
    found.add(bytes, 0, bytes.length);
    readRows(bytes, 0, bytes.length, rows);
  }
  const rowOf = Int32Array.from(places, (place) => present.indexOf(place));
  const write = compileEncodedSet(set);
  if (write === null) throw new Error('the rows are decoded');
  const pieces = await write({ ...told, rows: found, rowOf, setId }, 5, new TimeSlice());
  const fetched = { rows, children: [] };
  const text = compileEntitySet(set)({ kind: 'page', setId, ...told, fetched, rowOf });
  return [
    Buffer.concat(pieces).subarray(5).toString('utf8'),
    typeof text === 'string' ? text : [...text].join(''),
  ];
}

test.each([
  [[]],
  [[0]],
  [[0, 1, 2]],
  [[-1]],
  [[-1, 1, -1, -1, 4]],
  [[0, -1]],
  [Array.from({ length: 30 }, (_, place) => (place % 7 === 0 ? -1 : place))],
])(
  'a page of an entity set with rows as they came is that of the same rows decoded: %j',
  async (places) => {
    for (const names of ['ID', 'lastName,grade', 'lastName,employer.name,manager.lastName']) {
      const [bytes, text] = await both(printed(`?$attributes=${names}`), places);
      expect(bytes).toBe(text);
      expect((JSON.parse(bytes) as { __ENTITIES: unknown[] }).__ENTITIES).toHaveLength(
        places.length,
      );
    }
  },
);

test('a page that names its set is the same by either way', async () => {
  const [bytes, text] = await both(printed('?$attributes=ID&$method=subentityset'), [0, -1], '0A');
  expect(bytes).toBe(text);
  expect(bytes).toMatch(/^\{"__ENTITYSET":"\/rest\/Employee\/\$entityset\/0A","__DATACLASS"/);
});

test.each(['?$expand=directReports', '?$asArray=true', '?$format=csv', '?$method=entityset'])(
  'the rows are decoded for %s',
  (query) => {
    expect(compileEncodedSet(printed(query))).toBeNull();
  },
);
