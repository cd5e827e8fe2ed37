import { openSchema, type Schema } from '../targets/schema.ts';
import type { OpenTarget, Target } from '../targets/target.ts';
import { testFolder, type TestFolder } from '../config/files.ts';

const STATEMENTS = [
  'CREATE SCHEMA app',
  'CREATE TABLE app.thing (id int NOT NULL PRIMARY KEY, n int NOT NULL, ver int NOT NULL)',
  'INSERT INTO app.thing VALUES (1, 0, 1), (2, 0, 1), (3, 0, 1)',
];

/** A table of three things, which a counter stamps. */
export const THINGS: Schema = { postgres: STATEMENTS.join(';\n'), sqlserver: STATEMENTS };

export const THING =
  'dataclass: Thing\ntable: app.thing\nstamp: { counter: ver }\nattributes: { id: id, n: n }\n';

/** Makes the table in a database of its own, and a folder with its mapping file. */
export async function openThings({
  engine,
}: Target): Promise<{ readonly opened: OpenTarget; readonly folder: TestFolder }> {
  const folder = await testFolder();
  const opened = await openSchema(engine, THINGS, folder.path);
  await folder.write('mappings/thing.yaml', THING);
  return { opened, folder };
}
