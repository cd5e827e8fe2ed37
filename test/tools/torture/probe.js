/**
 * Loaded into the gateway's process before the program (`--import`), and asked by messages: how long the event loop was held, and how much memory and how many
 * sockets the process has. Plain JavaScript, as Node.js runs it: a loader for TypeScript would stand between the program and what is measured.
 */
import { openSync, readSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setInterval } from 'node:timers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often the loop is looked at, in milliseconds. */
const STEP = 4;

/** Ticks between two looks at the memory. */
const MEMORY_STEP = 10;

setFlagsFromString('--expose-gc');
/** @type {() => void} */
const collectGarbage = runInNewContext('gc');

/** The kernel's account of this thread: nanoseconds that it ran, and that it was ready to run and had no core. Linux has it. */
const accounts = openAccounts();
const text = new Uint8Array(96);

function openAccounts() {
  try {
    return openSync('/proc/self/schedstat', 'r');
  } catch {
    return null;
  }
}

/** How long this thread has waited for a core, in milliseconds: time in which other programs held it up, and not the program itself. */
function waited() {
  if (accounts === null) return 0;
  const length = readSync(accounts, text, 0, text.length, 0);
  return Number(String.fromCharCode(...text.subarray(0, length)).split(' ')[1]) / 1e6;
}

let last = { at: performance.now(), waited: waited() };
let held = 0;
let peak = 0;
let ticks = 0;

/** @type {string[]} */
const asked = [];

setInterval(() => {
  const now = { at: performance.now(), waited: waited() };
  held = Math.max(held, now.at - last.at - STEP - (now.waited - last.waited));
  ticks += 1;
  if (ticks % MEMORY_STEP === 0) peak = Math.max(peak, process.memoryUsage.rss());
  for (const ask of asked.splice(0)) answer(ask);
  // What answering took is not the program's.
  last = { at: performance.now(), waited: waited() };
}, STEP).unref();

/** Answers on a tick, so that what held the loop until then is counted. */
function answer(ask) {
  if (ask === 'collect') {
    collectGarbage();
    collectGarbage();
  }
  const { rss, heapUsed } = process.memoryUsage();
  const sockets = process
    .getActiveResourcesInfo()
    .filter((name) => name === 'TCPSocketWrap').length;
  process.send?.({ held, rss, peak: Math.max(peak, rss), heapUsed, sockets });
  held = 0;
  peak = 0;
}

process.on('message', (message) => asked.push(message));
// Whoever started it was ended: nobody would end it then.
process.on('disconnect', () => process.exit(1));
// The program ends when it wants to, whether it is asked or not.
process.channel?.unref();
