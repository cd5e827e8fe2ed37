// @ts-check
// The process that fills a new database, with the thread of the embedded database in it. Only the end of a process gives back all of the memory that this takes.
import process from 'node:process';
import { URL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';

// Code that runs once is not worth optimizing: that takes longer than filling the database.
setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');

const worker = new Worker(new URL('./worker.js', import.meta.url), {
  workerData: /** @type {unknown} */ (JSON.parse(process.argv[2] ?? '')),
});
worker.on('message', (reply) => process.send?.(reply));
process.on('message', (question) => worker.postMessage(question));
// The gateway was killed.
process.on('disconnect', () => process.exit());
