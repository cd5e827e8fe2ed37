import { describe, expect, test } from 'vitest';
import { Audiences, type Audience } from '../../../src/access/roles/audiences.ts';
import { readRoles } from '../../../src/access/roles/roles.ts';
import type { Principal } from '../../../src/base/principal.ts';
import { isRelation, type Model } from '../../../src/model/types.ts';
import { model, routine, table, types } from '../../model/physical.ts';
import { audiencesIn, fullModel, limits, settingsOf, somebody } from '../sample-roles.ts';

const all = { read: true, create: true, update: true, delete: true };

function agentsIn(built: Model, roles: unknown, mayWrite = false): (by: Principal) => Audience {
  const context = { model: built, nullsMatchNotEqual: false, locate: (setting: string) => setting };
  const read = roles === null ? null : readRoles(settingsOf(roles), context);
  const audiences = new Audiences(built, read, limits, { mayWrite });
  return (principal) => audiences.of(principal);
}

const ALL = { create: null, update: null, delete: null };
const NONE = { create: 'denied', update: 'denied', delete: 'denied' };

describe('agents of a user', () => {
  test('change data only by the roles that say so', async () => {
    const roles = {
      a: { mcp: 'write', dataclasses: { Company: all } },
      b: { dataclasses: { Company: all, Employee: all } },
    };
    const built = await fullModel();
    const of = agentsIn(built, roles);
    const seen = (...names: string[]): unknown => {
      const { dataclasses } = of(somebody(names)).model;
      return [...dataclasses.values()].map(({ name, rights }) => [name, rights]);
    };
    expect(seen('a')).toEqual([['Company', ALL]]);
    expect(seen('b')).toEqual([
      ['Company', NONE],
      ['Employee', NONE],
    ]);
    expect(seen('a', 'b')).toEqual([
      ['Company', ALL],
      ['Employee', NONE],
    ]);
    expect(
      audiencesIn(built, roles)(somebody(['b'])).model.dataclasses.get('Employee')?.rights,
    ).toEqual(ALL);
  });

  test('change what meets the filters of the roles that say so', async () => {
    const of = agentsIn(await fullModel(), {
      a: { mcp: 'write', dataclasses: { Company: { read: true, update: 'ID = 1' } } },
      b: { dataclasses: { Company: { read: true, update: true } } },
    });
    expect(of(somebody(['a', 'b'])).model.dataclasses.get('Company')?.rights).toMatchObject({
      create: 'denied',
      update: { kind: 'filter' },
      delete: 'denied',
    });
  });

  test('who see everything read, and write where the configuration says so', async () => {
    const built = await fullModel();
    const full = [...built.dataclasses.keys()];
    for (const [roles, by] of [
      [null, somebody([])],
      [{ r: { dataclasses: {} } }, somebody(['admin'])],
    ] as const) {
      const { model: read, key, isAdmin } = agentsIn(built, roles)(by);
      expect([[...read.dataclasses.keys()], key, isAdmin]).toEqual([
        full,
        'agents',
        roles !== null,
      ]);
      expect(read.dataclasses.get('Company')?.rights).toEqual(NONE);
      const { model: written } = agentsIn(built, roles, true)(by);
      expect(written.dataclasses.get('Company')?.rights).toEqual(ALL);
    }
  });

  test('share no plans and sets with the user', async () => {
    const roles = { a: { mcp: 'write', dataclasses: { Company: all } } };
    const built = await fullModel();
    const own = audiencesIn(built, roles)(somebody(['a'])).key;
    expect(agentsIn(built, roles)(somebody(['a'])).key).toBe(`agents ${own}`);
  });

  test('say the stamp of what they update, wherever it stands', async () => {
    const built = await model(
      [table('A', { columns: { ID: 'int', V: 'int' }, primaryKey: ['ID'] })],
      {
        a: 'dataclass: A\ntable: S.A\nstamp: { counter: V }\nrequireStamp: false',
      },
    );
    const needed = ({ dataclasses }: Model): unknown[] =>
      [...dataclasses.values()].flatMap(({ requireStamp, allowsOverwrite, members }) => [
        [requireStamp, allowsOverwrite],
        ...[...members.values()].filter(isRelation).map(({ target }) => target.requireStamp),
      ]);
    expect(needed(built)).toEqual([[false, true]]);
    const roles = { a: { mcp: 'write', dataclasses: { A: all } } };
    expect(needed(agentsIn(built, roles)(somebody(['a'])).model)).toEqual([[true, false]]);
    expect(needed(agentsIn(built, null, true)(somebody([])).model)).toEqual([[true, false]]);
    const sample = agentsIn(await fullModel(), null, true)(somebody([])).model;
    expect(new Set(needed(sample).flat())).toEqual(new Set([true, false]));
  });

  test('call functions that change data by the roles that say so', async () => {
    const built = await model(
      [table('A', { columns: { ID: 'int' }, primaryKey: ['ID'] })],
      {
        a: 'dataclass: A\ntable: S.A\nfunctions:\n  ask: { routine: S.F, allowedOnHTTPGET: true }\n  do: { routine: S.F }',
        b: 'functions:\n  do: { routine: S.F }\nsingletons:\n  G: { functions: { ask: { routine: S.F, allowedOnHTTPGET: true }, do: { routine: S.F } } }',
      },
      {},
      [routine('F', {}, { kind: 'value', type: types.int })],
    );
    const called = ({ functions, dataclasses, singletons }: Model): string[] =>
      [{ functions }, ...dataclasses.values(), ...singletons.values()].flatMap((owner) =>
        Array.from(owner.functions.values(), ({ fullName }) => fullName),
      );
    const roles = {
      a: { mcp: 'write', execute: ['A.*'], dataclasses: { A: { read: true } } },
      b: { execute: true, dataclasses: { A: { read: true } } },
    };
    const of = agentsIn(built, roles);
    expect(called(of(somebody(['a'])).model)).toEqual(['A.ask', 'A.do']);
    expect(called(of(somebody(['b'])).model)).toEqual(['A.ask', 'G.ask']);
    expect(called(of(somebody(['a', 'b'])).model)).toEqual(['A.ask', 'A.do', 'G.ask']);
    expect(called(of(somebody(['admin'])).model)).toEqual(['A.ask', 'G.ask']);
    expect(called(agentsIn(built, null, true)(somebody([])).model)).toEqual(called(built));
  });
});
