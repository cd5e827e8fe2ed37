import { describe, expect, test } from 'vitest';
import { setAudience, Audiences, type Audience } from '../../../src/access/roles/audiences.ts';
import { isRelation, type Dataclass, type Model } from '../../../src/model/types.ts';
import { planRead } from '../../../src/plan/read/read.ts';
import { updateQuery } from '../../../src/plan/write/write-queries.ts';
import type { ParsedRequest, ReadRequest } from '../../../src/protocol/ast.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { planning, sampleSettings } from '../../fixtures/legacy/model.ts';
import { model, routine, table, types } from '../../model/physical.ts';
import {
  audiencesIn,
  audiencesOf,
  fullModel,
  somebody,
  limits,
  settingsOf,
} from '../sample-roles.ts';
import { readRoles } from '../../../src/access/roles/roles.ts';
import type { Principal } from '../../../src/base/principal.ts';

function dataclass(model: Model, name: string): Dataclass {
  const found = model.dataclasses.get(name);
  if (found === undefined) throw new Error(`no dataclass ${name}`);
  return found;
}

const names = (model: Model, of: string): string[] => [...dataclass(model, of).members.keys()];

const reading = (...dataclasses: string[]): unknown => ({
  r: { dataclasses: Object.fromEntries(dataclasses.map((name) => [name, { read: true }])) },
});

describe('what a role sees', () => {
  test('is nothing without a role, and everything as administrator', async () => {
    const of = await audiencesOf(reading('Company'));
    expect([...of(somebody([])).model.dataclasses.keys()]).toEqual([]);
    expect([...of(somebody(['unknown'])).model.dataclasses.keys()]).toEqual([]);
    const admin = of(somebody(['admin', 'r']));
    expect([...admin.model.dataclasses.keys()]).toEqual([
      ...(await fullModel()).dataclasses.keys(),
    ]);
    expect([admin.key, admin.isAdmin]).toEqual(['', true]);
  });

  test('is numbered without gaps, and changes nothing', async () => {
    const { model } = (await audiencesOf(reading('Project', 'Company')))(somebody(['r']));
    expect([...model.dataclasses.values()].map(({ name, number }) => [name, number])).toEqual([
      ['Company', 1],
      ['Project', 2],
    ]);
    expect(dataclass(model, 'Company').rights).toEqual({
      create: 'denied',
      update: 'denied',
      delete: 'denied',
    });
  });

  test('leads nowhere else: relations go with their targets, and with what lies on their way', async () => {
    const full = await fullModel();
    const { model } = (await audiencesOf(reading('Employee', 'Project')))(somebody(['r']));
    const relations = (of: Model, name: string): string[] =>
      [...dataclass(of, name).members.values()].filter(isRelation).map((member) => member.name);
    expect(relations(full, 'Employee')).toContain('projects');
    expect(relations(model, 'Employee')).toEqual(['manager', 'directReports', 'ledProjects']);
    for (const { members } of model.dataclasses.values()) {
      for (const member of members.values()) {
        if (!isRelation(member)) continue;
        expect(model.dataclasses.get(member.target.name)).toBe(member.target);
        for (const hop of member.hops) {
          expect(model.dataclasses.get(hop.target.name)).toBe(hop.target);
        }
        if (member.inverse !== null) expect(member.target.members.has(member.inverse)).toBe(true);
      }
    }
  });

  test('has, with *, the dataclasses that are not named, and those that are by their own rights', async () => {
    const of = await audiencesOf({
      r: {
        dataclasses: { '*': { read: true, update: true }, Company: {}, Employee: { read: true } },
      },
    });
    const { model } = of(somebody(['r']));
    const all = of(somebody(['admin'])).model;
    expect([...model.dataclasses.keys()]).toEqual(
      [...all.dataclasses.keys()].filter((name) => name !== 'Company'),
    );
    const updates = ['Employee', 'Country'].map((name) => dataclass(model, name).rights.update);
    expect(updates).toEqual(['denied', null]);
  });

  test.each([
    [['closed'], false],
    [['open', 'closed'], true],
    [['some', 'closed'], false],
    [['some'], true],
  ])('of roles %j: whether something may be computed of all', async (roles, aggregates) => {
    const of = await audiencesOf({
      open: { dataclasses: { Company: { read: true } } },
      some: { dataclasses: { Company: { read: 'ID < 3' } } },
      closed: { dataclasses: { Company: { read: 'ID > 2', aggregates: false } } },
    });
    expect(dataclass(of(somebody(roles)).model, 'Company').aggregates).toBe(aggregates);
  });

  test('lacks what is hidden, and the relations that would tell it', async () => {
    const of = await audiencesOf({
      r: {
        dataclasses: {
          '*': { read: true },
          Employee: { read: true, attributes: { firstName: 'hidden', employer: 'hidden' } },
          Assignment: { read: true, attributes: { role: 'hidden' } },
        },
      },
      links: {
        dataclasses: {
          '*': { read: true },
          Assignment: { read: true, attributes: { role: 'hidden', employee: 'hidden' } },
        },
      },
    });
    const { model } = of(somebody(['r']));
    expect(names(model, 'Employee')).not.toContain('firstName');
    expect(names(model, 'Employee')).not.toContain('employer');
    expect(names(model, 'Company')).not.toContain('employees');
    expect(names(model, 'Employee')).toContain('projects');
    // A relation to one that is hidden takes along its inverse, and what goes over that.
    const linked = of(somebody(['links'])).model;
    expect(names(linked, 'Assignment')).not.toContain('employee');
    expect(names(linked, 'Employee')).not.toContain('assignments');
    expect(names(linked, 'Employee')).not.toContain('projects');
  });

  test('lacks the relations that stand on a hidden attribute, in both directions', async () => {
    const tables = [
      table('T', {
        columns: { ID: 'int', U_ID: 'int' },
        primaryKey: ['ID'],
        foreignKeys: [{ name: 'FK', columns: ['U_ID'], targetTable: 'U', targetColumns: ['ID'] }],
      }),
      table('U', { columns: { ID: 'int', NAME: 'text' }, primaryKey: ['ID'] }),
    ];
    const full = await model(tables, { t: 'table: S.T', u: 'table: S.U' });
    const seen = (attribute: string): string[][] => {
      const roles = {
        r: {
          dataclasses: {
            '*': { read: true },
            T: { read: true, attributes: { [attribute]: 'hidden' } },
          },
        },
      };
      const of = audiencesIn(full, roles)(somebody(['r'])).model;
      return [names(of, 'T'), names(of, 'U')];
    };
    expect([names(full, 'T'), names(full, 'U')]).toEqual([
      ['id', 'uId', 'u'],
      ['id', 'name', 'tCollection'],
    ]);
    expect(seen('uId')).toEqual([['id'], ['id', 'name']]);
    expect(seen('u')).toEqual([
      ['id', 'uId'],
      ['id', 'name'],
    ]);
  });

  test('has its timestamp set by every save, and told only where it is seen', async () => {
    const tables = [
      table('T', { columns: { ID: 'int', CHANGED: 'timestamp' }, primaryKey: ['ID'] }),
    ];
    const full = await model(tables, { t: 'table: S.T\ntimestamp: CHANGED' });
    const isSetAndTold = (attributes: object): unknown => {
      const roles = { r: { dataclasses: { T: { read: true, update: true, attributes } } } };
      const of = audiencesIn(full, roles)(somebody(['r'])).model;
      const { assignments } = updateQuery(dataclass(of, 'T'), [], false, 'many', sampleSettings);
      const { ast } = parseRequest('/rest/T') as ParsedRequest<ReadRequest>;
      const { timestamp } = planRead(ast, planning(of)).fetch.shape;
      return [
        assignments.map(({ column, value }) => [column.name, value.kind]),
        timestamp !== null,
      ];
    };
    expect(isSetAndTold({})).toEqual([[['CHANGED', 'now']], true]);
    expect(isSetAndTold({ changed: 'hidden' })).toEqual([[['CHANGED', 'now']], false]);
  });
});

describe('filters with claims', () => {
  const roles = {
    local: {
      dataclasses: { Company: { read: 'city = $claims.city', update: 'ID IN $claims.ids' } },
    },
    all: { dataclasses: { Company: { read: true } } },
    bounded: { dataclasses: { Company: { read: 'creditLimit < $claims.limit' } } },
  };

  test('share one model, whatever the claims are', async () => {
    const of = await audiencesOf(roles);
    const paris = of(somebody(['local'], { city: 'Paris', ids: ['1', '2'] }));
    const rome = of(somebody(['local'], { city: 'Rome', ids: '3' }));
    expect(paris).toBe(rome);
    expect(dataclass(paris.model, 'Company')).toMatchObject({
      where: { kind: 'filter', within: 'read', values: [{ claim: 'city', class: 'text' }] },
      rights: {
        create: 'denied',
        update: { kind: 'filter', values: [{ claim: 'ids', class: 'list' }] },
      },
    });
  });

  test.each([
    ['no claim', {}],
    ['a list for one value', { limit: ['1'] }],
    ['text for a number', { limit: 'much' }],
  ])('with %s meet nothing', async (_, claims) => {
    const of = await audiencesOf(roles);
    const { model, claims: used } = of(somebody(['bounded'], claims));
    expect(dataclass(model, 'Company').where).toEqual({ kind: 'any', items: [] });
    expect(used).toEqual([]);
    expect(of(somebody(['bounded'], { limit: '10' })).model).not.toBe(model);
  });

  test('that cannot be met do not take from another role', async () => {
    const of = await audiencesOf(roles);
    expect(dataclass(of(somebody(['bounded', 'all'])).model, 'Company').where).toBeNull();
    const { where } = dataclass(
      of(somebody(['bounded', 'local'], { city: 'Rome' })).model,
      'Company',
    );
    expect(where).toMatchObject({
      kind: 'any',
      items: [{ kind: 'any', items: [] }, { kind: 'filter' }],
    });
  });

  test('make entity sets whose owners see the same, and no others', async () => {
    const of = await audiencesOf(roles);
    const setsOf = (claims: Record<string, string>): string => {
      const principal = somebody(['local'], claims);
      return setAudience(of(principal), principal);
    };
    expect(setsOf({ city: 'Paris', ids: '1' })).toBe(setsOf({ city: 'Paris', ids: '1', x: 'y' }));
    expect(setsOf({ city: 'Paris', ids: '1' })).not.toBe(setsOf({ city: 'Rome', ids: '1' }));
    expect(setsOf({ city: 'Paris', ids: '1' })).not.toBe(setsOf({ ids: '1' }));
  });
});

describe('several roles', () => {
  test('give the entities of any, for each thing that is done by itself', async () => {
    const of = await audiencesOf({
      reader: { dataclasses: { Company: { read: true } } },
      owner: { dataclasses: { Company: { read: true, where: 'ID < 5', update: true } } },
      other: { dataclasses: { Company: { read: 'ID > 7', delete: true } } },
    });
    const both = dataclass(of(somebody(['reader', 'owner'])).model, 'Company');
    expect(both.where).toBeNull();
    expect(both.rights).toMatchObject({
      create: 'denied',
      update: { kind: 'all', items: [{ within: 'where' }, { within: 'where' }] },
    });
    const some = dataclass(of(somebody(['other', 'owner'])).model, 'Company');
    expect(some.where).toMatchObject({
      kind: 'any',
      items: [{ within: 'read' }, { within: 'where' }],
    });
    // What the other role lets be deleted is what it shows.
    expect(some.rights.delete).toMatchObject({ kind: 'filter', within: 'read' });
  });

  test('show an attribute that one of them hides where another shows it of every entity', async () => {
    const of = await audiencesOf({
      poor: { dataclasses: { Company: { read: true, attributes: { name: 'hidden' } } } },
      rich: { dataclasses: { Company: { read: true } } },
      some: { dataclasses: { Company: { read: 'ID < 5' } } },
    });
    const sees = (...roles: string[]): boolean =>
      names(of(somebody(roles)).model, 'Company').includes('name');
    expect([sees('poor'), sees('poor', 'rich'), sees('poor', 'some'), sees('some')]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  test('write an attribute where each that may write the entity may, or one may write it in every entity', async () => {
    const of = await audiencesOf({
      careful: {
        dataclasses: { Company: { read: true, update: true, attributes: { name: 'readOnly' } } },
      },
      free: { dataclasses: { Company: { read: true, update: true } } },
      some: { dataclasses: { Company: { read: true, update: 'ID < 5' } } },
      maker: { dataclasses: { Company: { read: true, create: true } } },
    });
    const whyReadOnly = (...roles: string[]): string | null | undefined =>
      dataclass(of(somebody(roles)).model, 'Company').members.get('name')?.readOnly;
    const byRole = 'your roles may only read it';
    expect(whyReadOnly('careful')).toBe(byRole);
    expect(whyReadOnly('careful', 'free')).toBeNull();
    expect(whyReadOnly('careful', 'some')).toBe(byRole);
    expect(whyReadOnly('careful', 'maker')).toBe(byRole);
    expect(whyReadOnly('some')).toBeNull();
  });
});

describe('functions', () => {
  const columns = { ID: 'int' } as const;
  const tables = [
    table('A', { columns, primaryKey: ['ID'] }),
    table('B', { columns, primaryKey: ['ID'] }),
  ];
  const routines = [
    routine('F', {}, { kind: 'value', type: types.int }),
    routine('R', {}, { kind: 'rows', columns: [{ name: 'ID', type: types.int }] }),
  ];
  const built = model(
    tables,
    {
      a: 'dataclass: A\ntable: S.A\nfunctions:\n  one: { routine: S.F }\n  two: { routine: S.F }\n  bs: { routine: S.R, returns: { dataclass: B } }',
      b: 'dataclass: B\ntable: S.B\nfunctions:\n  one: { routine: S.F }',
      c: 'functions:\n  one: { routine: S.F }\nsingletons:\n  G: { functions: { x: { routine: S.F }, y: { routine: S.F } } }\n  H: { functions: { x: { routine: S.F } } }',
    },
    {},
    routines,
  );
  const seen = async (role: object, roles: object = {}): Promise<string[]> => {
    const of = audiencesIn(await built, { r: role, ...roles });
    const view = of(somebody(['r', 's'])).model;
    return [view, ...view.dataclasses.values(), ...view.singletons.values()].flatMap((owner) =>
      Array.from(owner.functions.values(), ({ fullName }) => fullName),
    );
  };
  const reading = { dataclasses: { '*': { read: true } } };

  test.each([
    [reading, []],
    [
      { ...reading, execute: true },
      ['one', 'A.one', 'A.two', 'A.bs', 'B.one', 'G.x', 'G.y', 'H.x'],
    ],
    [{ ...reading, execute: ['A.*', 'G.x', 'one'] }, ['one', 'A.one', 'A.two', 'A.bs', 'G.x']],
    [{ dataclasses: { A: { read: true } }, execute: ['A.*', 'B.one'] }, ['A.one', 'A.two']],
    [{ dataclasses: {}, execute: ['H.*', 'A.one'] }, ['H.x']],
  ])('are those that %j may execute', async (role, expected) => {
    expect(await seen(role)).toEqual(expected);
  });

  test('are those of any of several roles', async () => {
    const second = { dataclasses: { B: { read: true } }, execute: ['A.bs'] };
    expect(await seen({ ...reading, execute: ['A.one'] }, { s: second })).toEqual([
      'A.one',
      'A.bs',
    ]);
  });
});

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
