import { expect, test } from 'vitest';
import { notCreated, onEngines, type Served } from './shapes/engines.ts';
import { shape } from './shapes/deferred.ts';

/** What a refused request is told: the status, and code and message of each error. */
async function refusedBy(served: Served, url: string, body: unknown): Promise<unknown> {
  const [status, answer] = await served.post(url, body);
  const { __ERROR: errors } = answer as {
    readonly __ERROR: readonly { readonly errCode: number; readonly message: string }[];
  };
  return [status, ...errors.map(({ errCode, message }) => [errCode, message])];
}

const NOT_CREATED = [1534, 'The new entity of Ord was not saved.'];

onEngines('a constraint that is checked at the commit', shape, (served) => {
  test('names the relation that it stands on, and its place in a nested save', async () => {
    const lines = [1, 99, 1].map((product, at) => ({ id: 100 + at, no: at, product }));
    expect(await refusedBy(served, 'Ord', { id: 2, lines })).toEqual([
      409,
      [1120, 'lines[1].product: Line.product refers to an entity that does not exist.'],
      NOT_CREATED,
    ]);
    const parent = { id: 3, parent: 77 };
    expect(await refusedBy(served, 'Ord', { id: 2, parent })).toEqual([
      409,
      [1120, 'parent.parent: Ord.parent refers to an entity that does not exist.'],
      NOT_CREATED,
    ]);
    expect(await refusedBy(served, 'Line', { id: 100, product: 99 })).toEqual([
      409,
      [1120, 'Line.product refers to an entity that does not exist.'],
      [1534, 'The new entity of Line was not saved.'],
    ]);
    expect(await served.get('Ord')).toMatchObject([200, { __COUNT: 1 }]);
  });

  test('names the list, where several entities may be the one', async () => {
    const lines = [100, 101].map((id) => ({ id, no: 1, product: 1 }));
    expect(await refusedBy(served, 'Ord', { id: 2, lines })).toEqual([
      409,
      [
        1115,
        'lines: Line.ord, Line.no has to be unique, and another entity has this value already.',
      ],
      NOT_CREATED,
    ]);
  });

  test('fails one of several objects, and names it where all fail with it', async () => {
    const orders = [2, 3].map((id) => ({
      id,
      lines: [
        { id: id * 100, product: 1 },
        { id: id * 100 + 1, product: id === 3 ? 99 : 1 },
      ],
    }));
    expect(await refusedBy(served, 'Ord?$atomic=true', orders)).toEqual([
      409,
      [
        1120,
        'Element 1 of the body, a new Ord: lines[1].product: Line.product refers to an entity that does not exist.',
      ],
      [1046, 'Nothing of the request was saved.'],
    ]);
    expect(await served.post('Ord', orders)).toMatchObject([
      200,
      {
        __ENTITIES: [
          { __STATUS: { success: true }, __KEY: '2' },
          notCreated(
            'Ord',
            1120,
            'lines[1].product: Line.product refers to an entity that does not exist.',
          ),
        ],
      },
    ]);
  });

  test('says what refers to an entity that a list leaves out, and not what nobody is to see', async () => {
    const kept = (...ids: number[]): object => ({
      __KEY: '1',
      lines: ids.map((id) => ({ __KEY: String(id) })),
    });
    expect(await refusedBy(served, 'Ord?$replace=lines', kept(11, 12))).toEqual([
      409,
      [1120, 'lines: The entity of Line is still referred to by Shipment.line.'],
      [1517, 'Ord(1) was not saved.'],
    ]);
    expect(await refusedBy(served, 'Ord?$replace=lines', kept(10, 12))).toEqual([
      409,
      [9015, 'The entity of Ord breaks a rule of the database.'],
      [1517, 'Ord(1) was not saved.'],
    ]);
  });
});
