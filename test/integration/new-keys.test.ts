import { expect, test } from 'vitest';
import { onEngines, type Told } from './shapes/engines.ts';
import { shape } from './shapes/new-keys.ts';

onEngines('the statements of new entities, by their keys', shape, (served) => {
  const INSERTS_BY_HALVES = 5;

  const sent = async (dataclass: string, body: readonly object[]): Promise<[number, ...Told]> => {
    served.gateway.takeChanges();
    const told = await served.post(dataclass, body);
    const inserts = served.gateway.takeChanges().filter((text) => text.includes('INSERT'));
    return [inserts.length, ...told];
  };

  test.for([
    ['identities', 'Always', /^\d+$/],
    ['identities that count down', 'Countdown', /^-\d+$/],
    ['keys of which the database makes up a part', 'Regional', /^\{"region":4,"no":\d\}$/],
    ['GUIDs that the gateway makes', 'Guid', /^[0-9a-f-]{36}$/],
    ['GUIDs that the database makes in order', 'Sequel', /^[0-9A-Fa-f-]{36}$/],
    ['keys by other defaults', 'Coded', /^C-/],
  ] as const)('%s', async ([, dataclass, key]) => {
    const others = dataclass === 'Regional' ? { region: 4 } : {};
    const names = ['a', 'b', 'c'].map((name) => ({ ...others, name }));
    const __KEY = expect.stringMatching(key) as string;
    // Of several that go in together, nobody could tell which key is whose.
    const isSingly = dataclass === 'Coded' || (dataclass === 'Sequel' && served.isSqlServer);
    // Babelfish refuses ORDER BY together with OUTPUT: the three are tried together, and then by halves.
    const isHalved = served.isBabelfish && dataclass !== 'Guid';
    const singly = isSingly ? names.length : 1;
    expect(await sent(dataclass, names)).toMatchObject([
      isHalved && !isSingly ? INSERTS_BY_HALVES : singly,
      200,
      { __ENTITIES: names.map(({ name }) => ({ __KEY, name })) },
    ]);
  });

  test('one that is refused does not take the others with it', async () => {
    expect(await sent('Always', [{ name: 'p' }, { name: 'a' }, { name: 'q' }])).toMatchObject([
      INSERTS_BY_HALVES,
      200,
      { __ENTITIES: [{ name: 'p' }, { __ERROR: [{ errCode: 1115 }, {}] }, { name: 'q' }] },
    ]);
  });
});
