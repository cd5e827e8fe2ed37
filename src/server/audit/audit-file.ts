import { closeSync, constants, openSync, statSync, writeFileSync, writeSync } from 'node:fs';

/** Is told when a file cannot be written, and when it can again. */
export interface AuditTrouble {
  /** @param waiting how many lines wait @param lost how many are lost so far */
  readonly failing: (error: Error, waiting: number, lost: number) => void;
  readonly recovered: (lost: number) => void;
}

/** How much may wait for a file that cannot be written, in bytes; further lines are lost. */
const MAX_WAITING = 32 * 1_048_576;

/** How often what waits is tried again, in milliseconds. */
const RETRY = 1000;

/** How often a failure is reported, in milliseconds. */
const REPORT_AGAIN = 30_000;

/** How often the file is compared with the one that has its name, in milliseconds. */
const CHECK_AGAIN = 1000;

/** How often a full pipe is tried, and the wait in between, in milliseconds. */
const ATTEMPTS = 100;
const PAUSE = 10;

const STDOUT_FD = 1;

/** A new file can be read by its group, and not by everyone. */
const MODE = 0o640;

/**
 * Appends lines to a file, or to standard output. They are with the operating system when {@link write} returns: a killed process loses none that a
 * client was told of. Lines that cannot be written, as to a full disk, wait in memory. A file that was moved away, as by logrotate, is created anew.
 */
export class AuditFile {
  readonly #path: string | null;
  readonly #trouble: AuditTrouble;
  #fd: number;
  #identity: string;
  #checkedAt = performance.now();
  /** The texts that wait, with their numbers of lines; the first may be written in part. */
  #waiting: { bytes: Buffer; readonly lines: number }[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #retry: NodeJS.Timeout | null = null;
  #reportedAt = -Infinity;
  #isClosed = false;

  /** @param path null for standard output @throws the operating system's error where the file cannot be opened */
  constructor(path: string | null, trouble: AuditTrouble) {
    this.#path = path;
    this.#trouble = trouble;
    this.#fd = path === null ? STDOUT_FD : openToAppend(path);
    this.#identity = identityOf(path);
  }

  /** Writes whole lines, each with its line break. @param lines how many they are */
  readonly write = (text: string, lines: number): void => {
    if (this.#isClosed) {
      this.#writeLate(text, lines);
      return;
    }
    const bytes = Buffer.from(text);
    if (this.#waiting.length > 0 && this.#waitingBytes + bytes.length > MAX_WAITING) {
      this.#lost += lines;
      return;
    }
    this.#followName();
    this.#waiting.push({ bytes, lines });
    this.#waitingBytes += bytes.length;
    this.#attempt();
  };

  /** Tries again what waits. @returns why it cannot be written; null where nothing waits */
  readonly problem = (): Error | null => {
    if (this.#waiting.length === 0) return null;
    this.#followName();
    return this.#attempt();
  };

  /** Tries what waits once more, and closes the file. */
  readonly close = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const error = this.#send();
    if (error !== null) this.#trouble.failing(error, 0, this.#lost + this.#waitingLines());
    if (this.#retry !== null) clearInterval(this.#retry);
    if (this.#path !== null) closeSync(this.#fd);
  };

  /** A request whose client has disconnected may end after the file was closed. */
  #writeLate(text: string, lines: number): void {
    let fd = STDOUT_FD;
    try {
      if (this.#path !== null) fd = openToAppend(this.#path);
      writeFileSync(fd, text);
    } catch (error) {
      this.#trouble.failing(error as Error, 0, lines);
    } finally {
      if (fd !== STDOUT_FD) closeSync(fd);
    }
  }

  #attempt(): Error | null {
    const error = this.#send();
    if (error !== null) {
      this.#retry ??= setInterval(this.problem, RETRY).unref();
      this.#report(error);
    } else if (this.#retry !== null) {
      clearInterval(this.#retry);
      this.#retry = null;
      this.#reportedAt = -Infinity;
      this.#trouble.recovered(this.#lost);
      this.#lost = 0;
    }
    return error;
  }

  /** Writes what waits, as far as possible. @returns why the rest cannot be written */
  #send(): Error | null {
    try {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        const written = writeSome(this.#fd, next.bytes);
        next.bytes = next.bytes.subarray(written);
        this.#waitingBytes -= written;
        if (next.bytes.length === 0) this.#waiting.shift();
      }
      return null;
    } catch (error) {
      return error as Error;
    }
  }

  #report(error: Error): void {
    if (performance.now() - this.#reportedAt < REPORT_AGAIN) return;
    this.#reportedAt = performance.now();
    this.#trouble.failing(error, this.#waitingLines(), this.#lost);
  }

  #waitingLines(): number {
    return this.#waiting.reduce((sum, { lines }) => sum + lines, 0);
  }

  /** Opens the file anew where its name is now another file's, or none's. Until that succeeds, lines go to the old one. */
  #followName(): void {
    if (this.#path === null || performance.now() - this.#checkedAt < CHECK_AGAIN) return;
    this.#checkedAt = performance.now();
    try {
      if (identityOf(this.#path) === this.#identity) return;
      const fd = openToAppend(this.#path);
      closeSync(this.#fd);
      this.#fd = fd;
      this.#identity = identityOf(this.#path);
    } catch (error) {
      this.#report(error as Error);
    }
  }
}

/** Opens or creates a file. Does not wait for a reader of a pipe, which would stop the whole process. */
function openToAppend(path: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
  // Windows has no O_NONBLOCK: it is undefined there, and counts as 0.
  return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, MODE);
}

/** A text that is equal as long as a path names the same file; empty where there is none. */
function identityOf(path: string | null): string {
  const stats = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.dev}:${stats.ino}`;
}

/** Writes a part of some bytes, and returns how many. Waits for a full pipe: the log, which shares standard output, could otherwise end up within a line. */
function writeSome(fd: number, bytes: Uint8Array): number {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return writeSync(fd, bytes);
    } catch (error) {
      const isFull = (error as NodeJS.ErrnoException).code === 'EAGAIN';
      if (!isFull || attempt === ATTEMPTS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
    }
  }
}
