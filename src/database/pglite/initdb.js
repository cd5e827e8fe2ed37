// @ts-check
// Makes the files of an empty database. `npm run build` runs it, because initdb takes four seconds and 500 MB: a new database starts from what it has made.
import { Buffer } from 'node:buffer';
import { writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { EMPTY_DATABASE } from './empty-database.js';

const db = await PGlite.create();
// Nobody makes further databases of these here, and they are two thirds of the files, which each start in memory unpacks.
await db.exec("UPDATE pg_database SET datistemplate = false WHERE datname LIKE 'template_'");
await db.exec('DROP DATABASE template0');
await db.exec('DROP DATABASE template1');
const files = await db.dumpDataDir('gzip');
await db.close();
await writeFile(EMPTY_DATABASE, Buffer.from(await files.arrayBuffer()));
