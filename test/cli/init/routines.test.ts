import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { existingMappings } from '../../../src/cli/init/files.ts';
import type { InitPlan } from '../../../src/cli/init/plan.ts';
import { rulesSchema, type Rules } from '../../../src/cli/init/rules.ts';
import type { PhysicalSchema, Routine } from '../../../src/schema/types.ts';
import { routine } from '../../model/physical.ts';
import { testFolder, type TestFolder } from '../../config/files.ts';
import { planned, schemaIn } from './tables.ts';

const routines: Routine[] = [
  routine('P_CLOSE_MONTH', { YEAR: 'int', MONTH: 'int', DONE: 'int inout' }),
  routine('P_EMP', {}),
  routine('F.X', {}, { kind: 'none' }),
  routine('F_TWIN', { A: 'int' }, { kind: 'none' }),
  routine('F_TWIN', { A: 'text' }, { kind: 'none' }),
  {
    ...routine('P_TAB', {}),
    parameters: [
      {
        ...{ name: 'IDS', direction: 'in', type: { kind: 'opaque', native: 'table' } },
        table: { schema: 'S', name: 'IDS' },
      },
    ],
  },
  { ...routine('P_ELSEWHERE', {}), schema: 'T' },
];

const schema: PhysicalSchema = { ...schemaIn`S.EMP | ID int | NAME text`, routines };

let folder: TestFolder;
beforeEach(async () => {
  folder = await testFolder();
});
afterEach(() => folder.remove());

/** Runs `init`, and writes what it plans. */
async function run(
  of: PhysicalSchema = schema,
  {
    prior = null,
    routines: isAsked = true,
    rules = {},
  }: { prior?: PhysicalSchema | null; routines?: boolean; rules?: Partial<Rules> } = {},
): Promise<InitPlan> {
  const { dataclasses: files, functions: functionFiles } = await existingMappings(folder.path);
  const asked = rulesSchema.parse({ ...rules, routines: isAsked });
  const given = { schema: of, files, functionFiles, prior, rules: asked };
  const plan = await planned(given, folder.path);
  for (const { path, text } of plan.writes) await writeFile(path, text);
  return plan;
}

const written = (): Promise<string> => readFile(`${folder.path}/routines.yaml`, 'utf8');
const functions = async (): Promise<unknown> =>
  (parse(await written()) as { functions: unknown }).functions;

describe('routines', () => {
  test('are written where that is asked for, and none is exposed', async () => {
    expect((await run(schema, { routines: false })).functions).toEqual([]);
    const { functions: added, leftOut } = await run();
    expect(added).toEqual([
      ...['fX (S.F.X)', 'pCloseMonth (S.P_CLOSE_MONTH)', 'pEmp (S.P_EMP)'],
      'pElsewhere (T.P_ELSEWHERE)',
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
    const none = schemaIn`S.EMP | ID int`;
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
    const edited = (await written())
      .replace(/^ {2}pEmp.*\n/m, '')
      .replace('pCloseMonth: {', 'close: { returns: nothing,')
      .concat('# mine\n');
    await folder.write('routines.yaml', edited);
    const again = await run(schema, { prior: seen, rules: { schemas: ['S'] } });
    expect([again.functions, again.writes]).toEqual([[], []]);
    const more = { ...schema, routines: [...routines, routine('P_NEW', { A: 'int' })] };
    expect((await run(more, { prior: seen, rules: { schemas: ['S'] } })).functions).toEqual([
      'pNew (S.P_NEW)',
    ]);
    const line = '  pNew: { routine: S.P_NEW, parameters: [ A ], exposed: false }\n';
    expect(await written()).toBe(edited.replace('# mine\n', `${line}# mine\n`));
  });

  test('that a mapping file names are left alone', async () => {
    await folder.write(
      'emp.yaml',
      'dataclass: Emp\ntable: S.EMP\nattributes: { ID: ID }\nrelations: {}\nfunctions:\n  emp: { routine: S.P_EMP }\n',
    );
    const own = 'functions: { pCloseMonth: { routine: { schema: S, name: F.X } } }\n';
    await folder.write('own.yaml', own);
    const { functions: added } = await run(schema, { rules: { schemas: ['S'] } });
    // A name that is taken is not given again.
    expect(added).toEqual(['sPCloseMonth (S.P_CLOSE_MONTH)']);
  });

  test('that are gone are told, and where nothing can be added, too', async () => {
    await folder.write('routines.yaml', 'functions: { gone: { routine: S.GONE } }\n');
    const { gone } = await run();
    expect(gone.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the database has no procedure or function S\.GONE/),
    ]);
    await folder.write(
      'routines.yaml',
      'singletons: { G: { functions: &f { a: { routine: S.P_EMP } } } }\nfunctions: *f\n',
    );
    await expect(run()).rejects.toThrow(
      /nothing can be added to its functions as they are written/,
    );
  });
});
