import { writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { expect, test } from 'vitest';
import { readSnapshot, snapshots } from '../fixtures/legacy/model.ts';
import { startGateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';

test('the schema snapshot is what introspection finds (UPDATE_GOLDEN=1 rewrites it)', async () => {
  const { database } = await pgliteTarget.open();
  const gateway = await startGateway(database);
  try {
    const found = await gateway.database.introspect();
    if (process.env['UPDATE_GOLDEN'] === '1') {
      const text = await format(JSON.stringify(found), { parser: 'json', printWidth: 100 });
      writeFileSync(snapshots.postgres, text);
    }
    expect(readSnapshot('postgres')).toEqual(found);
  } finally {
    await gateway.close();
  }
});
