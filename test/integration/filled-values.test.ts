import { expect, test } from 'vitest';
import { onEngines } from './shapes/engines.ts';
import { filled } from './shapes/written-triggers.ts';

onEngines('what the database fills in', filled, (served) => {
  /** Entities that can be created. */
  const complete: Record<string, Record<string, unknown>> = {
    Filled: { code: 'z', made: '2024-01-01', who: 'z' },
    State: { id: 71, state: 'old', must: 'z' },
    Given: {
      ...{ id: 'c56a4180-65aa-42ec-a945-5fd21dec0538', note: 'n', must: 'm', kind: 'x' },
      ...{ bytes: 'AAAA', stated: 70, other: 70, usual: 70 },
    },
  };
  const GIVEN = 'given';
  const LEFT_OUT = 'may be left out';
  const JUDGED = 'judged by the database';
  // What a new entity may leave out, it may send as null; changes take null for what can be null alone.
  test.for([
    ['Filled', 'code', 'never null', JUDGED],
    ['Filled', 'made', 'never null', JUDGED],
    ['Filled', 'who', 'never null', JUDGED],
    ['State', 'id', 'never null', GIVEN],
    ['State', 'state', 'never null', LEFT_OUT],
    ['State', 'must', 'never null', GIVEN],
    ['Given', 'id', 'never null', LEFT_OUT],
    ['Given', 'note', 'null', LEFT_OUT],
    ['Given', 'must', 'never null', GIVEN],
    ['Given', 'kind', 'never null', LEFT_OUT],
    ['Given', 'bytes', 'never null', GIVEN],
    ['Given', 'stated', 'relation', GIVEN],
    ['Given', 'other', 'relation', LEFT_OUT],
    ['Given', 'usual', 'relation', LEFT_OUT],
  ])(
    'catalog, contract and saves say of %s.%s: %s, %s',
    async ([dataclass = '', name = '', holds, sent], { skip }) => {
      skip(
        dataclass === 'Filled' && served.isBabelfish,
        'Babelfish runs no INSTEAD OF trigger that inserts into its own table',
      );
      const [, catalog] = await served.get(`$catalog/${dataclass}`);
      const { attributes, extraProperties } = (
        catalog as {
          dataClasses: {
            attributes: { name: string; not_null?: boolean }[];
            extraProperties: { required: string[] };
          }[];
        }
      ).dataClasses[0] ?? { attributes: [], extraProperties: { required: [] } };
      const [, contract] = await served.get('$openapi');
      const { schemas } = (
        contract as {
          components: { schemas: Record<string, { properties: Record<string, object> }> };
        }
      ).components;
      const { [name]: value, ...rest } = complete[dataclass] ?? {};
      const codes = async (body: object): Promise<unknown> => {
        const [, answer] = await served.post(`${dataclass}?$refresh=true&$method=insert`, body);
        return (answer as { __ERROR?: { errCode: number }[] }).__ERROR?.[0]?.errCode ?? 'created';
      };
      const outcomes = sent === JUDGED ? ['created', 1116] : [sent === GIVEN ? 1116 : 'created'];
      expect({
        notNull: attributes.find((one) => one.name === name)?.not_null,
        required: extraProperties.required.includes(name),
        takesNull: JSON.stringify(schemas[`${dataclass}.Body`]?.properties[name]).includes(
          '"null"',
        ),
        leftOut: await codes(rest),
        asNull: await codes({ ...rest, [name]: null }),
        complete: await codes({ ...rest, [name]: value }),
      }).toEqual({
        notNull: holds === 'relation' ? undefined : holds === 'never null',
        required: sent === GIVEN,
        takesNull: sent !== GIVEN,
        leftOut: expect.toBeOneOf(outcomes) as unknown,
        asNull: expect.toBeOneOf(outcomes) as unknown,
        complete: 'created',
      });
    },
  );
});
