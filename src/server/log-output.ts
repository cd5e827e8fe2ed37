import { hostname } from 'node:os';
import { destination, pino, type DestinationStream, type Logger } from 'pino';
import { GatheredLines } from './gathered-lines.ts';

/** How much of the log is written at once, in bytes, and what is left after how long, in milliseconds. */
const LOG_PIECE = 16_384;
const LOG_PAUSE = 100;

/**
 * How much is written at once where others write to the same pipe, in bytes: what is not longer is written as a whole
 * (https://man7.org/linux/man-pages/man7/pipe.7.html, PIPE_BUF).
 */
const SHARED_PIECE = 4_096;

/**
 * Where the log goes. It is written whole when the process ends, unless it is killed.
 * @param isShared whether other processes write there, too: lines must not stand within each other
 */
export function standardOutput(isShared: boolean): DestinationStream {
  const maxWrite = isShared ? SHARED_PIECE : LOG_PIECE;
  const lines = new GatheredLines(
    destination({ dest: 1, sync: false, maxWrite }),
    maxWrite,
    LOG_PAUSE,
  );
  // Before what it is handed to writes its own last.
  process.prependListener('exit', () => lines.handOn());
  return lines;
}

/** What stands in every line of a worker's log. @param slot its number, from 0 on */
export function logBase(slot: number): object {
  return { pid: process.pid, hostname: hostname(), worker: slot + 1 };
}

/** The log of a process that starts workers and serves nothing itself. @param level from which on it is written */
export function primaryLog(level: string): Logger {
  return pino({ level }, destination({ dest: 1, sync: true }));
}
