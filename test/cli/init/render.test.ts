import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadMappings } from '../../../src/config/mapping.ts';
import { writeFiles } from '../../../src/cli/init/files.ts';
import type { InitPlan } from '../../../src/cli/init/plan.ts';
import type { PhysicalSchema } from '../../../src/schema/types.ts';
import { testFolder, type TestFolder } from '../../config/files.ts';
import { planned, schemaIn, schemaOf } from './tables.ts';

let folder: TestFolder;
beforeEach(async () => {
  folder = await testFolder();
});
afterEach(() => folder.remove());

const before = schemaIn`dbo.EMP | ID int | NAME text | SECRET text`;
const after = schemaIn`
  dbo.EMP  | ID int | NAME text | SECRET text | CODE char | DEPT_ID int | FK_D: DEPT_ID -> dbo.DEPT(ID)
  dbo.DEPT | ID int
`;

/** Runs `init` over a file that somebody wrote. */
async function rerun(
  text: string,
  options: { schema?: PhysicalSchema; prior?: PhysicalSchema | null; restore?: boolean } = {},
): Promise<InitPlan & { readonly text: string }> {
  const path = await folder.write('emp.yaml', text);
  const { dataclasses: files } = await loadMappings(folder.path);
  const plan = await planned({ schema: after, files, prior: before, ...options }, folder.path);
  await writeFiles(plan.writes);
  return { ...plan, text: await readFile(path, 'utf8') };
}

describe('a file that was edited', () => {
  test('keeps its every byte; what is new stands at the end of its sections', async () => {
    const edited = `# Ours.
dataclass:   Employee   # renamed
table: dbo.EMP
where: fullName is null

attributes:
    ID:   ID
    # The name as HR writes it.
    fullName: { column: NAME,   trim: true }   # padded by hand
    # end

relations: {} # none yet
`;
    const { text, changed } = await rerun(edited);
    expect(text).toBe(
      edited
        .replace(
          '    # end',
          '    code: { column: CODE, trim: true } # bpchar(5)\n    deptId: DEPT_ID # int4\n    # end',
        )
        .replace('{} # none yet\n', '# none yet\n  dept: { to: Dept, foreignKey: FK_D }\n'),
    );
    expect(changed.map(({ names }) => names)).toEqual([['code', 'deptId', 'dept']]);
    expect(await readFile(`${folder.path}/dept.yaml`, 'utf8')).toContain(
      'employees: { inverse: Employee.dept }',
    );
  });

  test('keeps its line ends', async () => {
    const { text } = await rerun(
      'table: dbo.EMP\r\nattributes:\r\n  ID: ID\r\nrelations:\r\n  x: { to: Emp, columns: { ID: ID } }',
    );
    expect(text).toBe(
      'table: dbo.EMP\r\nattributes:\r\n  ID: ID\r\n  code: { column: CODE, trim: true } # bpchar(5)\r\n  deptId: DEPT_ID # int4\r\n' +
        'relations:\r\n  x: { to: Emp, columns: { ID: ID } }\r\n  dept: { to: Dept, foreignKey: FK_D }',
    );
  });

  test('is written anew, with its comments, where a section stands on one line', async () => {
    const { text } = await rerun('# Ours.\ntable: dbo.EMP\nattributes: { ID: ID } # all\n');
    expect(text).toContain('# Ours.');
    expect(text).toContain('# all');
    expect(text).toContain('code: { column: CODE, trim: true }');
  });

  test('is refused where nothing can be added to it', async () => {
    const aliased =
      'table: dbo.EMP\nrelations:\n  x: { to: Emp, columns: &b { ID: ID } }\nattributes: *b\n';
    await expect(rerun(aliased)).rejects.toThrow(
      /emp\.yaml: nothing can be added .* add code, deptId, dept by hand/,
    );
  });

  test('gets nothing of what it leaves to be derived', async () => {
    const { text, changed } = await rerun('table: dbo.EMP\n');
    expect(text).toBe('table: dbo.EMP\n');
    expect(changed).toEqual([]);
  });

  test('does not get back what was taken out of it, unless that is asked for', async () => {
    const edited = 'table: dbo.EMP\nattributes:\n  ID: ID\nrelations: {}\n';
    const same = { schema: before };
    expect((await rerun(edited, same)).text).toBe(edited);
    expect((await rerun(edited, { ...same, prior: null })).text).toBe(edited);
    const restored = await rerun(edited, { ...same, restore: true });
    expect(restored.text).toContain(
      '  name: NAME # text\n  secret: { column: SECRET, exposed: false } # text\n',
    );
  });

  test('is told what is gone, and stays as it is', async () => {
    const edited = 'table: dbo.EMP\nattributes:\n  ID: ID\n  old: OLD\nrelations: {}\n';
    const { text, gone } = await rerun(edited, { schema: before });
    expect(text).toBe(edited);
    expect(gone.map(({ where, message }) => [where?.replace(/.*emp/, 'emp'), message])).toEqual([
      ['emp.yaml:4:8', expect.stringContaining('dbo.EMP has no column OLD.')],
    ]);
  });
});

test('a table whose file was removed is not mapped again, unless that is asked for', async () => {
  const other = 'table: dbo.DEPT\nattributes: {}\nrelations: {}\n';
  const schema = schemaOf(...before.tables, ...after.tables.slice(1));
  const { writes, removed } = await rerun(other, { schema, prior: schema });
  expect(writes).toEqual([]);
  expect(removed.map(({ name }) => name)).toEqual(['EMP']);
  const restored = await rerun(other, { schema, prior: schema, restore: true });
  expect(restored.created.map(({ dataclass }) => dataclass)).toEqual(['Emp']);
});
