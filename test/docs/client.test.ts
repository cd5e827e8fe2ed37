import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { run } from '../cli/run.ts';
import { testFolder } from '../config/files.ts';
import { snapshots } from '../fixtures/legacy/model.ts';
import { read } from './markdown.ts';

it('docs/how-to/typescript-client.md has examples that the compiler takes', async () => {
  const examples = Array.from(
    read('docs/how-to/typescript-client.md').matchAll(/^```ts\n([^]*?)^```$/gm),
    ([, code = '']) => code,
  );
  expect(examples.length).toBeGreaterThan(2);
  const folder = await testFolder();
  try {
    const schema = fileURLToPath(snapshots.postgres);
    await run(['types', '--schema-file', schema, '--out', `${folder.path}/api`]);
    await folder.write('package.json', '{ "type": "module" }');
    await folder.write('examples.ts', examples.join('\n'));
    const compilerOptions = {
      ...{ target: 'ES2022', lib: ['ES2022', 'DOM'], types: [], module: 'NodeNext' },
      ...{ strict: true, noEmit: true },
    };
    await folder.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const tsc = [resolve('node_modules/typescript/bin/tsc'), '-p', folder.path];
    const { status, stdout } = spawnSync(process.execPath, tsc, { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, '']);
  } finally {
    await folder.remove();
  }
});
