import { hostname } from 'node:os';
import { destination, pino, type DestinationStream, type Logger } from 'pino';

/** How much of the log is written at once, in bytes, and what is left after how long, in milliseconds: to write a line by itself takes as long as reading an entity. */
const LOG_PIECE = 16_383;
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
  return destination({
    dest: 1,
    sync: false,
    minLength: isShared ? SHARED_PIECE / 2 : LOG_PIECE,
    periodicFlush: LOG_PAUSE,
    ...(isShared ? { maxWrite: SHARED_PIECE } : {}),
  });
}

/** What stands in every line of a worker's log. @param slot its number, from 0 on */
export function logBase(slot: number): object {
  return { pid: process.pid, hostname: hostname(), worker: slot + 1 };
}

/** The log of a process that starts workers and serves nothing itself. @param level from which on it is written */
export function primaryLog(level: string): Logger {
  return pino({ level }, destination({ dest: 1, sync: true }));
}
