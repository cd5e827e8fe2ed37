import { expect, test } from 'vitest';
import { ProtocolError, StartupError } from '../../../src/base/errors.ts';
import { introspect } from '../../../src/database/postgres/session.ts';
import { postgresSchemaQuery } from '../../../src/schema/postgres/introspect.ts';

const refusal = new ProtocolError('mayNotRead', 'No.', undefined, new Error('permission denied'));

test('without its routines, the tables of a database are served', async () => {
  const read = (text: string): Promise<readonly (readonly unknown[])[]> =>
    text === postgresSchemaQuery ? Promise.resolve([['[]']]) : Promise.reject(refusal);
  expect(await introspect(read)).toEqual({
    tables: [],
    notes: [
      'The database does not tell which procedures and functions there are. Cause: permission denied',
    ],
  });
});

test('without its tables the message says what was asked, and what the database says', async () => {
  const error: unknown = await introspect(() => Promise.reject(refusal)).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StartupError);
  expect((error as StartupError).problems).toEqual([
    {
      where: 'database',
      message: expect.stringMatching(
        /^the database refused a statement that the gateway needs: SELECT coalesce\(.{480,} …\. Cause: permission denied$/,
      ) as string,
    },
  ]);
});
