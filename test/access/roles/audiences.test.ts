import { describe, expect, test } from 'vitest';
import { Audiences } from '../../../src/access/roles/audiences.ts';
import { readRoles } from '../../../src/access/roles/roles.ts';
import { isRelation, type Dataclass, type Model, type Relation } from '../../../src/model/types.ts';
import { model, routine, table, types } from '../../model/physical.ts';
import { parsed, rows } from '../../rows.ts';
import { audiencesIn, fullModel, limits, settingsOf, somebody } from '../sample-roles.ts';

/** The audience that agents of a user with some roles belong to. */
function agentsOf(built: Model, roles: object | null, names: readonly string[], mayWrite = false) {
  const context = { model: built, nullsMatchNotEqual: false, locate: (setting: string) => setting };
  const read = roles === null ? null : readRoles(settingsOf(roles), context);
  return new Audiences(built, read, limits, { mayWrite }).of(somebody(names));
}

describe('functions', () => {
  const columns = { ID: 'int' } as const;
  const built = model(
    ['A', 'B'].map((name) => table(name, { columns, primaryKey: ['ID'] })),
    {
      a: `
dataclass: A
table: S.A
functions: { ask: { routine: S.F, allowedOnHTTPGET: true }, do: { routine: S.F }, bs: { routine: S.R, returns: { dataclass: B } } }`,
      b: 'dataclass: B\ntable: S.B\nfunctions: { do: { routine: S.F } }',
      c: `
functions: { do: { routine: S.F } }
singletons: { G: { functions: { ask: { routine: S.F, allowedOnHTTPGET: true }, do: { routine: S.F } } }, H: { functions: { do: { routine: S.F } } } }`,
    },
    {},
    [
      routine('F', {}, { kind: 'value', type: types.int }),
      routine('R', {}, { kind: 'rows', columns: [{ name: 'ID', type: types.int }] }),
    ],
  );
  const namesOf = ({ functions, dataclasses, singletons }: Model): string[] =>
    [{ functions }, ...dataclasses.values(), ...singletons.values()].flatMap((owner) =>
      Array.from(owner.functions.values(), ({ fullName }) => fullName),
    );

  // The roles of a user, what the user may execute, and what an agent of the user may.
  test.each(rows`
    {r: {dataclasses: {'*': {read: true}}}} | [] | []
    {r: {dataclasses: {'*': {read: true}}, execute: true}}
      | [do, A.ask, A.do, A.bs, B.do, G.ask, G.do, H.do] | [A.ask, G.ask]
    {r: {dataclasses: {'*': {read: true}}, execute: [A.*, G.do, do]}} | [do, A.ask, A.do, A.bs, G.do] | [A.ask]
    # Neither on a dataclass that is not seen, nor with entities of one.
    {r: {dataclasses: {A: {read: true}}, execute: [A.*, B.do]}} | [A.ask, A.do] | [A.ask]
    {r: {dataclasses: {}, execute: [H.*, A.ask]}} | [H.do] | []
    {r: {mcp: write, dataclasses: {A: {read: true}}, execute: [A.*]}} | [A.ask, A.do] | [A.ask, A.do]
    # Of several roles each gives its own.
    {r: {dataclasses: {'*': {read: true}}, execute: [A.do]}, s: {dataclasses: {B: {read: true}}, execute: [A.bs]}} | [A.do, A.bs] | []
    {r: {mcp: write, dataclasses: {A: {read: true}}, execute: [A.do]}, s: {dataclasses: {}, execute: true}}
      | [do, A.ask, A.do, G.ask, G.do, H.do] | [A.ask, A.do, G.ask]
  `)('of %s', async (setting, user, agent) => {
    const roles = parsed(setting);
    const audience = audiencesIn(await built, roles)(somebody(['r', 's']));
    expect(namesOf(audience.model)).toEqual(parsed(user));
    expect(namesOf(agentsOf(await built, roles, ['r', 's']).model)).toEqual(parsed(agent));
  });

  test('of administrators change data by their agents where the configuration says so', async () => {
    const all = await built;
    expect(namesOf(agentsOf(all, null, ['admin']).model)).toEqual(['A.ask', 'G.ask']);
    expect(namesOf(agentsOf(all, null, [], true).model)).toEqual(namesOf(all));
  });
});

describe('agents of a user', () => {
  const roles = {
    a: { mcp: 'write', dataclasses: { Company: { read: true, update: true } } },
  };

  test('share no plans and sets with the user', async () => {
    const built = await fullModel();
    const { key } = audiencesIn(built, roles)(somebody(['a']));
    expect(agentsOf(built, roles, ['a']).key).toBe(`agents ${key}`);
    const { key: everything, isAdmin } = agentsOf(built, roles, ['admin']);
    expect([everything, isAdmin]).toEqual(['agents', true]);
  });

  test('say the stamp of what they update, wherever it stands', async () => {
    const columns = { ID: 'int', BOSS: 'int', V: 'int' } as const;
    const sketch = { columns, primaryKey: ['ID'], foreignKeys: ['FK: BOSS -> A(ID)'] };
    const built = await model([table('A', sketch)], {
      a: 'dataclass: A\ntable: S.A\nstamp: { counter: V }\nrequireStamp: false',
    });
    const writers = { a: { mcp: 'write', dataclasses: { A: { read: true, update: true } } } };
    const needed = ({ dataclasses }: Model): unknown[] =>
      [...dataclasses.values()]
        .flatMap((one) => [one, ...[...one.members.values()].filter(isRelation).map(targetOf)])
        .map(({ requireStamp, allowsOverwrite }) => [requireStamp, allowsOverwrite]);
    expect(needed(built)).toEqual(Array(3).fill([false, true]));
    expect(needed(agentsOf(built, writers, ['a']).model)).toEqual(Array(3).fill([true, false]));
    expect(needed(agentsOf(built, null, [], true).model)).toEqual(Array(3).fill([true, false]));
  });
});

function targetOf({ target }: Relation): Dataclass {
  return target;
}
