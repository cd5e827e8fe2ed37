import { expect, test } from 'vitest';
import { testFolder } from '../config/files.ts';
import { startTdsEndpoint } from '../database/sqlserver/tds-endpoint.ts';
import { run } from './run.ts';

/** What `check` says of a database without tables, whose reads are snapshots or not. */
async function checked(isSnapshot: boolean): Promise<string> {
  const endpoint = await startTdsEndpoint(
    () => ({ kind: 'rows', values: [] }),
    () => [],
    () => null,
    { kind: 'mixed', values: [15, 130, isSnapshot] },
  );
  const folder = await testFolder();
  try {
    await folder.write(
      'config.yaml',
      `database:\n  engine: sqlserver\n  url: mssql://sa:secret@127.0.0.1:${endpoint.port}/legacy?encrypt=false\nmappings: mappings\n`,
    );
    await folder.write('mappings/thing.yaml', 'table: dbo.THING\n');
    const { out } = await run(['check', '--config', `${folder.path}/config.yaml`]);
    return out.replaceAll(folder.path, '');
  } finally {
    await folder.remove();
    await endpoint.close();
  }
}

test('check recommends snapshots for reads where they are off (learn: sys-databases-transact-sql)', async () => {
  const error =
    'error: /config.yaml:1:1: the database is empty, or the login may not read anything in it\n' +
    'error: /mappings/thing.yaml:1:8: the database has no table dbo.THING that its user may read.\n';
  const count = '2 errors, 0 notes.\n';
  expect(await checked(true)).toBe(error + count);
  expect(await checked(false)).toBe(
    `${error}advice: is_read_committed_snapshot_on is 0: reads wait for writes, and writes for reads. ` +
      `ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON lets neither wait for the other\n${count}`,
  );
});
