import { ProtocolError, type ErrorName } from '../../src/base/errors.ts';
import type { Connection, BatchingDatabase } from '../../src/database/database.ts';
import { DatabaseRefusal, type Violation } from '../../src/database/errors.ts';
import type { WriteContext } from '../../src/run/write/attempt.ts';
import type { Execution } from '../../src/run/run.ts';
import type { Dataclass } from '../../src/model/types.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';

/** What becomes of the transactions of a fake database, in their order: what each throws, at its beginning or at its commit. */
export type Ends = readonly ({ readonly begin?: Error; readonly commit?: Error } | undefined)[];

/** A database whose transactions run work without a connection, and end as they are told. */
function fakeDatabase(ends: Ends = []): BatchingDatabase {
  let begun = 0;
  const transaction: BatchingDatabase['transaction'] = async (work) => {
    const end = ends[begun];
    begun += 1;
    if (end?.begin !== undefined) throw end.begin;
    const result = await work({} as Connection);
    if (end?.commit !== undefined) throw end.commit;
    return result;
  };
  return { transaction } as BatchingDatabase;
}

const INT4 = { kind: 'integer', bits: 32, signed: true, native: 'int4' } as const;

/** A dataclass as messages need it: of one table, with a foreign key from it. */
const dataclass = {
  name: 'Thing',
  key: [{ name: 'id', columnType: INT4, column: { name: 'ID', type: INT4 } }],
  members: new Map(),
  messages: new Map(),
  table: {
    schema: 'S',
    name: 'THING',
    columns: [],
    indexes: [],
    foreignKeys: [
      {
        name: 'FK_OWNER',
        columns: ['OWNER'],
        targetSchema: 'S',
        targetTable: 'OWNER',
        targetColumns: ['ID'],
      },
    ],
  },
} as unknown as Dataclass;

/** The same with a foreign key to itself. */
export const selfReferring: Dataclass = {
  ...dataclass,
  table: {
    ...dataclass.table,
    foreignKeys: dataclass.table.foreignKeys.map((key) => ({ ...key, targetTable: 'THING' })),
  },
};

/** What is to be known of a request that writes things. */
export function writeContext(
  kind: WriteContext['kind'],
  atomic: boolean,
  written = dataclass,
): WriteContext {
  return {
    kind,
    dataclass: written,
    model: {
      dataclasses: new Map([['Thing', dataclass]]),
      warnings: [],
      functions: new Map(),
      singletons: new Map(),
      leftOut: new Map(),
    },
    attributes: [],
    unique: null,
    isInBody: true,
    atomic,
    report: null,
  };
}

/** What a request that writes things is carried out with. */
export function execution(ends: Ends): Execution {
  const { model } = writeContext('save', false);
  const statements = {} as unknown as Execution['statements'];
  return { database: fakeDatabase(ends), model, activity: gatewayContext, locks: null, statements };
}

/** The database refuses a change by a rule of its own. */
export function refusal(violation: Violation): DatabaseRefusal {
  return new DatabaseRefusal(violation, 'refused', new Error('the engine'));
}

/** What the gateway says of the database. */
export function databaseSays(errorName: ErrorName): ProtocolError {
  return new ProtocolError(errorName, `It says ${errorName}.`);
}
