import { constants, fstatSync, openSync } from 'node:fs';
import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import type { FastifyBaseLogger } from 'fastify';
import { pino, type DestinationStream, type Logger } from 'pino';
import type { RequestLogger } from '../../base/observe/observer.ts';

/** How much of the log is written at once, in bytes, and what is left after how long, in milliseconds. */
const LOG_PIECE = 16_384;
const LOG_PAUSE = 100;

/**
 * How much is written at once where others write to the same pipe, in bytes: what is not longer is written as a whole
 * (https://man7.org/linux/man-pages/man7/pipe.7.html, PIPE_BUF).
 */
const SHARED_PIECE = 4_096;

/** How much of the log waits at most while nobody reads it, in bytes: seconds of a busy gateway, and little beside what else it keeps. */
const MOST_WAITING = 8 * 1_048_576;

/** How long whoever reads the log is given at the end of the process for what waits, in milliseconds. */
export const LAST_LINES = 1000;

const STDOUT_FD = 1;

/** The part of a logger that lost lines are told to. */
export interface LossLog {
  readonly level: string;
  readonly fatal: LogLine;
  readonly error: LogLine;
  readonly warn: LogLine;
}

type LogLine = (details: object, message: string) => void;

/**
 * The log on standard output, by pino's own destination. What waits there is bounded, and nobody waits for it but the end of the process, for a second; nothing of this is a
 * reason for the process to fail.
 */
export class LogOutput implements DestinationStream {
  readonly #destination: ReturnType<typeof pino.destination>;
  #log: LossLog | null = null;
  #lost = 0;
  #untold = 0;
  #giveUpAt = Infinity;
  #isTaken = true;

  /** @param isShared whether other processes write there, too: lines must not stand within each other */
  constructor(isShared: boolean) {
    const { descriptor, mayBlock } = outputDescriptor();
    let isBlocking = mayBlock;
    const piece = isShared ? SHARED_PIECE : LOG_PIECE;
    this.#destination = pino.destination({
      dest: descriptor,
      sync: false,
      minLength: piece - 1,
      maxWrite: piece,
      maxLength: MOST_WAITING,
      periodicFlush: LOG_PAUSE,
      retryEAGAIN: () => {
        isBlocking = false;
        return performance.now() < this.#giveUpAt;
      },
    });
    this.#destination.on('drop', () => {
      this.#lost += 1;
      this.#untold += 1;
    });
    this.#destination.on('drain', () => this.#tellLosses());
    this.#flushSafely();
    // The process would wait for the thread that writes (https://docs.libuv.org/en/v1.x/misc.html, uv_library_shutdown), and no signal but this one ends it then.
    process.on('exit', () => {
      if (isBlocking && !this.#isTaken) process.kill(process.pid, 'SIGKILL');
    });
  }

  /** How many lines were lost since the start, as nobody took them. */
  get lost(): number {
    return this.#lost;
  }

  write(line: string): void {
    this.#destination.write(line);
  }

  /** Has it told in a log that lines were lost. @param log the one whose lines go here */
  tellLossesIn(log: LossLog): void {
    this.#log = log;
  }

  /** Resolves when all lines are with the operating system, or cannot be written, or when the time is over: the process may end then. */
  async taken(milliseconds: number): Promise<void> {
    this.#giveUpAt = Math.min(this.#giveUpAt, performance.now() + milliseconds);
    this.#isTaken = false;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#destination.flush(() => {
        this.#isTaken = true;
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #tellLosses(): void {
    const lost = this.#untold;
    if (lost === 0 || this.#log === null) return;
    this.#untold = 0;
    tellLost(this.#log, lost);
  }

  /** The last flush of the process would try for ever to write what cannot be written, as to a full disk, and throw where nobody reads. */
  #flushSafely(): void {
    let isFailing = false;
    this.#destination.on('error', () => (isFailing = true));
    this.#destination.on('write', () => (isFailing = false));
    const flush = this.#destination.flushSync.bind(this.#destination);
    this.#destination.flushSync = () => {
      this.#giveUpAt = Math.min(this.#giveUpAt, performance.now() + LAST_LINES);
      if (isFailing) return;
      try {
        flush();
      } catch {
        // Nobody has read in time.
      }
    };
  }
}

/** Tells in a log that lines of it were lost, also where it has nothing but errors. @param lost how many */
export function tellLost(log: LossLog, lost: number): void {
  const level = log.level === 'fatal' || log.level === 'error' ? log.level : 'warn';
  log[level]({ lost }, 'lines of the log were lost: they were not taken in time');
}

let output: LogOutput | null = null;

/** The log on the standard output of this process. @param isShared whether other processes write there, too */
export function standardOutput(isShared: boolean): LogOutput {
  return (output ??= new LogOutput(isShared));
}

/**
 * Resolves when all lines of the log are with the operating system, or cannot be written, or when the time is over.
 * @param milliseconds how long whoever reads the log is waited for; its end is the end of the wait of all that comes later, too
 */
export async function logTaken(milliseconds: number): Promise<void> {
  await output?.taken(milliseconds);
}

/** What stands in every line of the log of a process that serves. @param slot the number of a worker, from 0 on; null of what is none */
export function logBase(slot: number | null): object {
  const base = { pid: process.pid, hostname: hostname() };
  return slot === null ? base : { ...base, worker: slot + 1 };
}

/** A log that is given lines, too, whose fields are JSON already; they begin and end as its others. */
export function takingLines(
  log: FastifyBaseLogger,
  base: object,
  stream: DestinationStream,
): RequestLogger {
  const { values } = pino.levels;
  const info = values['info'] ?? 0;
  const isWritten = (values[log.level] ?? Infinity) <= info;
  const before = `{"level":${info},"time":`;
  const own = `,${JSON.stringify(base).slice(1, -1)},`;
  return {
    error: (details, message) => log.error(details, message),
    debug: (details, message) => log.debug(details, message),
    line: (fields, message) => {
      if (isWritten) stream.write(`${before}${Date.now()}${own}${fields},"msg":"${message}"}\n`);
    },
  };
}

/** The log of a process that starts workers and serves nothing itself. @param level from which on it is written */
export function primaryLog(level: string): Logger {
  const stream = standardOutput(true);
  const log = pino({ level }, stream);
  stream.tellLossesIn(log);
  return log;
}

/** Where the log is written, and whether a write there may take as long as nobody reads. */
interface OutputDescriptor {
  readonly descriptor: number;
  readonly mayBlock: boolean;
}

/**
 * Standard output as no other process has it. Whether a full pipe or terminal is waited for is a matter of how it was opened, which all have in common that
 * were given it: each process that starts or ends with it changes that for the others. A file, which is never full for a while, and what cannot be opened
 * again, as a socket, is written to as it is.
 */
function outputDescriptor(): OutputDescriptor {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  const stats = fstatSync(STDOUT_FD);
  if (!stats.isFIFO() && !stats.isSocket() && !isatty(STDOUT_FD)) {
    return { descriptor: STDOUT_FD, mayBlock: false };
  }
  try {
    const own = openSync(`/proc/self/fd/${STDOUT_FD}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    return { descriptor: own, mayBlock: false };
  } catch {
    return { descriptor: STDOUT_FD, mayBlock: true };
  }
}
