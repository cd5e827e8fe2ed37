// @ts-check
// The thread of the embedded database. It is plain JavaScript because Node.js starts it without the loader that runs the program's TypeScript.
/** @import { PGliteOptions } from '@electric-sql/pglite' */
/** @import { MessagePort } from 'node:worker_threads' */
/** @import { Part, Question, ReportedError, TaskValue, WorkerData } from './engine.ts' */
import { Blob, Buffer } from 'node:buffer';
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { URL } from 'node:url';
import { TextEncoder } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { EMPTY_DATABASE } from './empty-database.js';

const BOOLEAN_OID = 16;
const BYTEA_OID = 17;

/** The cells of one message: receiving more would block the event loop of the gateway. */
const CELLS = 20_000;

/** PostgreSQL's own 128 MB of buffers, and room for 100 connections, would all be resident from the start: WebAssembly's memory is filled with zeros, and never shrinks. */
const LITTLE_MEMORY = ['-c', 'shared_buffers=8MB', '-c', 'max_connections=4'];

/** Otherwise that of the machine on which the files were made would hold for the script that fills them. */
const TIME_ZONE = ['-c', 'TimeZone=UTC'];

/** The id of the start, which has no question. */
const START = 0;

/** @type {Part} */
const NOTHING = { columns: [], rows: [], hasMore: false };

const port = /** @type {MessagePort} */ (parentPort);
const { folder, mostBytes, longText } = /** @type {WorkerData} */ (workerData);

/** @type {Map<number, { columns: string[], rows: unknown[][], sent: number }>} */
const unsent = new Map();

/** @param {unknown} value https://www.postgresql.org/docs/current/datatype-binary.html#DATATYPE-BINARY-BYTEA-HEX-FORMAT */
function hex(value) {
  return value instanceof Uint8Array
    ? `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
    : String(value);
}

/**
 * The value of a parameter as PGlite takes it.
 * @param {TaskValue} value
 */
function parameter(value) {
  return value !== null && typeof value === 'object' && 'utf8' in value
    ? Buffer.concat(value.utf8).toString('utf8')
    : value;
}

const encoder = new TextEncoder();

/**
 * Encodes the long texts of rows: the gateway decodes them in slices.
 * @param {unknown[][]} rows
 * @returns {ArrayBuffer[]} those bytes
 */
function encodeLongTexts(rows) {
  /** @type {ArrayBuffer[]} */
  const buffers = [];
  for (const row of rows) {
    for (let column = 0; column < row.length; column += 1) {
      const cell = row[column];
      if (typeof cell !== 'string' || cell.length <= longText) continue;
      const { buffer } = (row[column] = encoder.encode(cell));
      buffers.push(buffer);
    }
  }
  return buffers;
}

/**
 * Whether rows are more than may be in memory at once.
 * @param {unknown[][]} rows
 */
function isTooLarge(rows) {
  let bytes = 0;
  for (const row of rows) {
    for (const cell of row) if (typeof cell === 'string') bytes += cell.length;
  }
  return bytes > mostBytes;
}

/**
 * The next rows of a query.
 * @param {number} id
 * @returns {Part}
 */
function nextPart(id) {
  const result = unsent.get(id);
  if (result === undefined) return NOTHING;
  const { columns, rows, sent } = result;
  const end = sent + Math.max(1, Math.floor(CELLS / Math.max(1, columns.length)));
  const hasMore = end < rows.length;
  if (hasMore) result.sent = end;
  else unsent.delete(id);
  return { columns, rows: sent === 0 && !hasMore ? rows : rows.slice(sent, end), hasMore };
}

/**
 * @param {PGlite} db
 * @param {Question} question
 * @returns {Promise<Part>}
 */
async function done(db, { id, task }) {
  switch (task.kind) {
    case 'query': {
      const { fields, rows } = await db.query(task.text, task.values.map(parameter), {
        rowMode: 'array',
        parsers,
        serializers: { [BOOLEAN_OID]: String, [BYTEA_OID]: hex },
      });
      const columns = fields.map(({ name }) => name);
      if (isTooLarge(/** @type {unknown[][]} */ (rows))) return { ...NOTHING, isTooLarge: true };
      unsent.set(id, { columns, rows: /** @type {unknown[][]} */ (rows), sent: 0 });
      return nextPart(id);
    }
    case 'more':
      return nextPart(task.query);
    case 'exec':
      await db.exec(task.script);
      return NOTHING;
    case 'close':
      await db.close();
      return NOTHING;
  }
}

/**
 * An error that can be sent: PGlite's have functions, too, and the statement with its values.
 * @param {unknown} error
 * @returns {ReportedError}
 */
function reported(error) {
  const fields = /** @type {ReportedError['fields']} */ (
    Object.fromEntries(
      Object.entries(/** @type {object} */ (error)).filter(
        ([key, value]) => key !== 'query' && ['string', 'number'].includes(typeof value),
      ),
    )
  );
  const name = error instanceof Error ? error.name : String(fields['name']);
  // An error of WebAssembly itself leaves its memory in an undefined state.
  const isEnd =
    ['RuntimeError', 'ExitStatus'].includes(name) ||
    ['FATAL', 'PANIC'].includes(String(fields['severity']));
  return { message: error instanceof Error ? error.message : String(error), fields, isEnd };
}

/**
 * @param {number} id
 * @param {() => Promise<Part>} work
 */
async function reply(id, work) {
  try {
    const part = await work();
    port.postMessage({ id, part }, encodeLongTexts(part.rows));
  } catch (error) {
    port.postMessage({ id, error: reported(error) });
  }
}

/**
 * TypeScript declares it for browsers only.
 * @typedef {object} WebAssemblyClasses
 * @property {new (pages: { initial: number, maximum: number }) => { buffer: ArrayBuffer }} Memory
 * @property {new (bytes: Uint8Array) => Required<PGliteOptions>['pgliteWasmModule']} Module
 */
const { Memory, Module } = /** @type {WebAssemblyClasses} */ (
  Reflect.get(globalThis, 'WebAssembly')
);

/**
 * Compiles PostgreSQL. Its 9 MB are read into memory of WebAssembly: if malloc held them, glibc would keep up to twice as much in each thread after they are freed
 * (https://man7.org/linux/man-pages/man3/mallopt.3.html, M_MMAP_THRESHOLD).
 */
function postgresModule() {
  const file = openSync(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')), 'r');
  try {
    const { size } = fstatSync(file);
    const pages = Math.ceil(size / 65_536);
    const memory = new Memory({ initial: pages, maximum: pages });
    const bytes = new Uint8Array(memory.buffer, 0, size);
    readSync(file, bytes);
    return new Module(bytes);
  } finally {
    closeSync(file);
  }
}

const isNew = folder === null || !existsSync(join(folder, 'PG_VERSION'));
const starting = PGlite.create({
  pgliteWasmModule: postgresModule(),
  ...(folder === null ? {} : { dataDir: folder }),
  // Without them, as in a source tree that is not built, initdb makes them.
  ...(isNew && existsSync(EMPTY_DATABASE)
    ? { loadDataDir: new Blob([readFileSync(EMPTY_DATABASE)], { type: 'application/gzip' }) }
    : {}),
  startParams: [...PGlite.defaultStartParams, ...LITTLE_MEMORY, ...TIME_ZONE],
  initDbStartParams: LITTLE_MEMORY,
});
await reply(START, async () => {
  await starting;
  return NOTHING;
});
const db = await starting;
/** Leaves values as text: the dialect's readers know their types. */
const parsers = Object.fromEntries(
  Object.keys(db.parsers).map((oid) => [oid, (/** @type {string} */ value) => value]),
);
port.on('message', (/** @type {Question} */ question) => {
  void reply(question.id, () => done(db, question));
});
