import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { existingMappings } from '../../../src/cli/init/files.ts';
import { planInit, type InitPlan } from '../../../src/cli/init/plan.ts';
import { rulesSchema, type Rules } from '../../../src/cli/init/rules.ts';
import type { PhysicalSchema, Routine } from '../../../src/schema/types.ts';
import { routine } from '../../model/physical.ts';
import { schemaOf, table } from './tables.ts';

const tableType: Routine = {
  ...routine('P_TAB', {}),
  parameters: [
    {
      name: 'IDS',
      type: { kind: 'opaque', native: 'table' },
      direction: 'in',
      table: { schema: 'S', name: 'IDS' },
    },
  ],
};

const routines = [
  routine('P_CLOSE_MONTH', { YEAR: 'int', MONTH: 'int', DONE: 'int inout' }),
  routine('P_EMP', {}),
  routine('F.X', {}, { kind: 'none' }),
  routine('F_TWIN', { A: 'int' }, { kind: 'none' }),
  routine('F_TWIN', { A: 'text' }, { kind: 'none' }),
  tableType,
  { ...routine('P_ELSEWHERE', {}), schema: 'T' },
];

const schema: PhysicalSchema = {
  ...schemaOf(table('S.EMP', ['ID int', 'NAME text'])),
  routines,
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entitygate-routines-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs `init`, and writes what it plans. */
async function run(
  of: PhysicalSchema = schema,
  {
    prior = null,
    routines: isAsked = true,
    rules = {},
  }: { prior?: PhysicalSchema | null; routines?: boolean; rules?: Partial<Rules> } = {},
): Promise<InitPlan> {
  const { dataclasses: files, functions: functionFiles } = await existingMappings(folder);
  const plan = await planInit(
    {
      ...{ schema: of, files, functionFiles, prior, restore: false },
      rules: rulesSchema.parse({ ...rules, routines: isAsked }),
    },
    folder,
    { ignoreCase: false, readOnly: false, requireStamp: true },
  );
  for (const { path, text } of plan.writes) await writeFile(path, text);
  return plan;
}

const functions = async (): Promise<unknown> =>
  (parse(await readFile(join(folder, 'routines.yaml'), 'utf8')) as { functions: unknown })
    .functions;

describe('routines', () => {
  test('are written where that is asked for, and none is exposed', async () => {
    expect((await run(schema, { routines: false })).functions).toEqual([]);
    const { functions: added, leftOut } = await run();
    expect(added).toEqual([
      ...[
        ...['fX (S.F.X)', 'pCloseMonth (S.P_CLOSE_MONTH)', 'pEmp (S.P_EMP)'],
        'pElsewhere (T.P_ELSEWHERE)',
      ],
    ]);
    expect(await functions()).toEqual({
      fX: { routine: { schema: 'S', name: 'F.X' }, exposed: false },
      pCloseMonth: { routine: 'S.P_CLOSE_MONTH', parameters: ['YEAR', 'MONTH'], exposed: false },
      pEmp: { routine: 'S.P_EMP', exposed: false },
      pElsewhere: { routine: 'T.P_ELSEWHERE', exposed: false },
    });
    expect(leftOut.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      expect.stringMatching(/^S\.F_TWIN: 2 functions S\.F_TWIN take these parameters/),
      expect.stringMatching(/^S\.P_TAB: it takes a table/),
    ]);
  });

  test('a database without any is a warning where they are asked for', async () => {
    const none = schemaOf(table('S.EMP', ['ID int']));
    expect((await run({ ...none, routines: [] })).warnings).toEqual([
      'The database has no procedure or function that the login may run.',
    ]);
    expect((await run(none, { routines: false })).warnings).toEqual([]);
  });

  test('of the schemas that are asked for', async () => {
    const { functions: added, seen } = await run(schema, { rules: { schemas: ['T'] } });
    expect(added).toEqual(['pElsewhere (T.P_ELSEWHERE)']);
    expect(seen.routines?.map(({ name }) => name)).toEqual(['P_ELSEWHERE']);
  });

  test('that are new are added, and what somebody has written or taken out stays', async () => {
    const { seen } = await run(schema, { rules: { schemas: ['S'] } });
    const path = join(folder, 'routines.yaml');
    const text = await readFile(path, 'utf8');
    const edited = text
      .replace(/^ {2}pEmp.*\n/m, '')
      .replace('pCloseMonth: {', 'close: { returns: nothing,')
      .concat('# mine\n');
    await writeFile(path, edited);
    const again = await run(schema, { prior: seen, rules: { schemas: ['S'] } });
    expect([again.functions, again.writes]).toEqual([[], []]);
    const more = { ...schema, routines: [...routines, routine('P_NEW', { A: 'int' })] };
    expect((await run(more, { prior: seen, rules: { schemas: ['S'] } })).functions).toEqual([
      'pNew (S.P_NEW)',
    ]);
    const line = '  pNew: { routine: S.P_NEW, parameters: [ A ], exposed: false }\n';
    expect(await readFile(path, 'utf8')).toBe(edited.replace('# mine\n', `${line}# mine\n`));
  });

  test('that a mapping file names are left alone', async () => {
    await writeFile(
      join(folder, 'emp.yaml'),
      'dataclass: Emp\ntable: S.EMP\nattributes: { ID: ID }\nrelations: {}\nfunctions:\n  emp: { routine: S.P_EMP }\n',
    );
    await writeFile(
      join(folder, 'own.yaml'),
      'functions: { pCloseMonth: { routine: S.F.X } }\n'.replace(
        'S.F.X',
        '{ schema: S, name: F.X }',
      ),
    );
    const { functions: added } = await run(schema, { rules: { schemas: ['S'] } });
    // A name that is taken is not given again.
    expect(added).toEqual(['sPCloseMonth (S.P_CLOSE_MONTH)']);
  });

  test('that are gone are told, and where nothing can be added, too', async () => {
    await writeFile(join(folder, 'routines.yaml'), 'functions: { gone: { routine: S.GONE } }\n');
    const { gone } = await run();
    expect(gone.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the database has no procedure or function S\.GONE/),
    ]);
    await writeFile(
      join(folder, 'routines.yaml'),
      'singletons: { G: { functions: &f { a: { routine: S.P_EMP } } } }\nfunctions: *f\n',
    );
    await expect(run()).rejects.toThrow(
      /nothing can be added to its functions as they are written/,
    );
  });
});
