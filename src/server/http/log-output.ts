import { constants, fstatSync, openSync } from 'node:fs';
import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import type { FastifyBaseLogger } from 'fastify';
import { pino, type DestinationStream } from 'pino';
import type { RequestLogger } from '../../base/observe/observer.ts';
import type { Config } from '../../config/config.ts';
import { prettyLog } from './pretty-log.ts';

/** How much of the log is written at once, in bytes, and how often the rest, in milliseconds. */
const LOG_PIECE = 16_384;
const LOG_PAUSE = 100;

/** How much is written at once to a shared pipe, in bytes, so that it is not split (https://man7.org/linux/man-pages/man7/pipe.7.html, PIPE_BUF). */
const SHARED_PIECE = 4_096;

/** How much of the log may wait for a slow reader, in bytes: seconds of a busy gateway. */
const MAX_WAITING = 8 * 1_048_576;

/** How long the end of the process waits for the reader of the log, in milliseconds. */
export const LAST_LINES = 1000;

const STDOUT_FD = 1;

interface LossLog extends Pick<FastifyBaseLogger, 'fatal' | 'error' | 'warn'> {
  readonly level: string;
}

/** Writes the log to standard output. What waits there is bounded, only the end of the process waits for it, for a second, and no failure ends the process. */
export class LogOutput implements DestinationStream {
  readonly #destination: ReturnType<typeof pino.destination>;
  #log: LossLog | null = null;
  #lost = 0;
  #unreported = 0;
  #giveUpAt = Infinity;
  #isTaken = true;

  /** @param isShared whether other processes write there, too: lines must not be mixed */
  constructor(isShared: boolean) {
    const { descriptor, mayBlock } = outputDescriptor();
    let isBlocking = mayBlock;
    const piece = isShared ? SHARED_PIECE : LOG_PIECE;
    this.#destination = pino.destination({
      dest: descriptor,
      sync: false,
      // A person who watches sees each line at once.
      minLength: isatty(STDOUT_FD) ? 0 : piece - 1,
      maxWrite: piece,
      maxLength: MAX_WAITING,
      periodicFlush: LOG_PAUSE,
      retryEAGAIN: () => {
        isBlocking = false;
        return performance.now() < this.#giveUpAt;
      },
    });
    this.#destination.on('drop', () => {
      this.#lost += 1;
      this.#unreported += 1;
    });
    this.#destination.on('drain', () => this.#reportLosses());
    this.#flushSafely();
    // The process would wait for the thread that writes (https://docs.libuv.org/en/v1.x/misc.html, uv_library_shutdown), and only this signal ends it then.
    process.on('exit', () => {
      if (isBlocking && !this.#isTaken) process.kill(process.pid, 'SIGKILL');
    });
  }

  /** How many lines were lost since the start because they were not read in time. */
  get lost(): number {
    return this.#lost;
  }

  write(line: string): void {
    this.#destination.write(line);
  }

  /** Reports losses in the log whose lines go here. */
  reportLossesIn(log: LossLog): void {
    this.#log = log;
  }

  /** Resolves when all lines are with the operating system, or cannot be written, or the time is over: the process may end then. */
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

  #reportLosses(): void {
    const lost = this.#unreported;
    if (lost === 0 || this.#log === null) return;
    this.#unreported = 0;
    reportLost(this.#log, lost);
  }

  /** Pino's last flush would try for ever to write to a full disk, and throw where no process reads. */
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
        // The reader was too slow.
      }
    };
  }
}

/** Reports lost lines in a log, also in one that only has errors. */
export function reportLost(log: LossLog, lost: number): void {
  const level = log.level === 'fatal' || log.level === 'error' ? log.level : 'warn';
  log[level]({ lost }, 'lines of the log were lost: they were not read in time');
}

let output: LogOutput | null = null;

/** The log on the standard output of this process. @param isShared whether other processes write there, too */
function standardOutput(isShared: boolean): LogOutput {
  return (output ??= new LogOutput(isShared));
}

/** As {@link LogOutput.taken}, for the log of this process; it limits all later waits, too. */
export async function logTaken(milliseconds: number): Promise<void> {
  await output?.taken(milliseconds);
}

/** The members of every line of a process that serves. @param worker the number of a worker, from 0 on; null without workers */
export function logBase(worker: number | null): object {
  const base = { pid: process.pid, hostname: hostname() };
  return worker === null ? base : { ...base, worker: worker + 1 };
}

/** Returns where lines of pino's go, each in its format: by default text where standard output is a terminal. @param isShared whether other processes write there, too */
function logStream(
  format: Config['log']['format'] = isatty(STDOUT_FD) ? 'pretty' : 'json',
  isShared: boolean,
): DestinationStream {
  const stream = standardOutput(isShared);
  return format === 'pretty' ? prettyLog(stream) : stream;
}

/** Writes the time of a line, as a member in JSON. */
export const logTime = pino.stdTimeFunctions.isoTime;

/** Writes errors with those that caused them: pino joins their messages by colons, also behind a sentence. */
export const logSerializers = {
  err: (error: unknown): unknown => {
    if (!(error instanceof Error)) return error;
    const logged = pino.stdSerializers.err(error);
    logged.message = logged.message.replaceAll(/(?<=[.!?]): /g, ' ');
    return logged;
  },
};

/** The log of this process. */
export interface ProcessLog {
  readonly logger: FastifyBaseLogger;
  /** The same log for the lines of requests. */
  readonly requests: RequestLogger;
}

/** Opens the log of this process. @param isShared whether other processes write there, too @param worker as in {@link logBase} */
export function openLog(
  { level, format }: Config['log'],
  isShared: boolean,
  worker: number | null = null,
): ProcessLog {
  const base = logBase(worker);
  const stream = logStream(format, isShared);
  const logger = pino({ level, base, timestamp: logTime, serializers: logSerializers }, stream);
  standardOutput(isShared).reportLossesIn(logger);
  return { logger, requests: takingLines(logger, base, stream) };
}

/** How many lines of this process's log were lost because they were not read in time. */
export function lostLogLines(): number {
  return output?.lost ?? 0;
}

/** Makes a log that also takes lines whose members are JSON already. */
export function takingLines(
  log: FastifyBaseLogger,
  base: object,
  stream: DestinationStream,
): RequestLogger {
  const { values } = pino.levels;
  const info = values['info'] ?? 0;
  const isWritten = (values[log.level] ?? Infinity) <= info;
  const before = `{"level":${info}`;
  const own = `,${JSON.stringify(base).slice(1, -1)},`;
  return {
    error: (details, message) => log.error(details, message),
    warn: (details, message) => log.warn(details, message),
    debug: (details, message) => log.debug(details, message),
    line: (fields, message) => {
      if (isWritten) stream.write(`${before}${logTime()}${own}${fields},"msg":"${message}"}\n`);
    },
  };
}

/**
 * Opens standard output separately from other processes, as all that inherit an opened file share whether it blocks. A file, which is never full for a
 * while, and what cannot be opened again, such as a socket, is used as it is: `mayBlock` says whether a write may wait for a reader.
 */
function outputDescriptor(): { readonly descriptor: number; readonly mayBlock: boolean } {
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
