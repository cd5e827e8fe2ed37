// @ts-check
// Makes the files of an empty database. `npm run build` runs it, because initdb takes four seconds and 500 MB: a new database starts from what it has made.
import { Buffer } from 'node:buffer';
import { writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { EMPTY_DATABASE } from './empty-database.js';

const db = await PGlite.create();
const files = await db.dumpDataDir('gzip');
await db.close();
await writeFile(EMPTY_DATABASE, Buffer.from(await files.arrayBuffer()));
