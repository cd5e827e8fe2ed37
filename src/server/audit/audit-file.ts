import { closeSync, constants, openSync, statSync, writeFileSync, writeSync } from 'node:fs';

/** What lines are handed to. */
export interface AuditTarget {
  /** Hands over whole lines, each with its line break. @param lines how many they are */
  readonly write: (text: string, lines: number) => void;
  /** Tries again what waits. @returns what keeps it from being written; null where nothing waits */
  readonly problem: () => Error | null;
  /** Tries once more what waits, and ends. */
  readonly close: () => void;
}

/** Hears of a target that cannot be written, and of its recovery. */
export interface AuditTrouble {
  /** @param waiting how many lines wait @param lost how many are lost by now */
  readonly failing: (error: Error, waiting: number, lost: number) => void;
  readonly recovered: (lost: number) => void;
}

/** How much waits for a target that cannot be written, in bytes: what comes then is lost. */
const MOST_WAITING = 32 * 1_048_576;

/** How often what waits is tried again, in milliseconds. */
const RETRY = 1000;

/** How often it is told that the target cannot be written, in milliseconds. */
const TELL_AGAIN = 30_000;

/** How often it is looked whether the file is still the one that has the name, in milliseconds. */
const LOOK_AGAIN = 1000;

/** How often a full pipe is tried, and how long it is waited for in between, in milliseconds. */
const ATTEMPTS = 100;
const PAUSE = 10;

const STDOUT_FD = 1;

/** A new file can be read by its group, and not by everyone. */
const MODE = 0o640;

/** Lines that wait, or what is left of them. */
interface Waiting {
  bytes: Buffer;
  readonly lines: number;
}

/**
 * Lines that are appended to a file, or to standard output. They are written at once, by one write for all that are handed over, and are with
 * the operating system when {@link write} returns: what a client is told was written has its line, though the process be killed. What cannot
 * be written, such as to a full disk, waits in memory and is tried again. A file that was moved away, as logrotate does, is made anew.
 */
export class AuditFile implements AuditTarget {
  readonly #path: string | null;
  readonly #trouble: AuditTrouble;
  #fd: number;
  #identity: string;
  #lookedAt = performance.now();
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #retry: NodeJS.Timeout | null = null;
  #toldAt = -Infinity;
  #isClosed = false;

  /**
   * @param path null for standard output
   * @throws what the operating system says where the file cannot be opened
   */
  constructor(path: string | null, trouble: AuditTrouble) {
    this.#path = path;
    this.#trouble = trouble;
    this.#fd = path === null ? STDOUT_FD : openToAppend(path);
    this.#identity = identityOf(path);
  }

  readonly write = (text: string, lines: number): void => {
    if (this.#isClosed) {
      this.#writeLate(text, lines);
      return;
    }
    const bytes = Buffer.from(text);
    if (this.#waiting.length > 0 && this.#waitingBytes + bytes.length > MOST_WAITING) {
      this.#lost += lines;
      return;
    }
    this.#followName();
    this.#waiting.push({ bytes, lines });
    this.#waitingBytes += bytes.length;
    this.#attempt();
  };

  readonly problem = (): Error | null => {
    if (this.#waiting.length === 0) return null;
    this.#followName();
    return this.#attempt();
  };

  readonly close = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const error = this.#send();
    if (error !== null) this.#trouble.failing(error, 0, this.#lost + this.#waitingLines());
    if (this.#retry !== null) clearInterval(this.#retry);
    if (this.#path !== null) closeSync(this.#fd);
  };

  /** A request whose client has gone may be the last one to end. */
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
      this.#tell(error);
    } else if (this.#retry !== null) {
      clearInterval(this.#retry);
      this.#retry = null;
      this.#toldAt = -Infinity;
      this.#trouble.recovered(this.#lost);
      this.#lost = 0;
    }
    return error;
  }

  /** Writes what waits, as far as it can be written. @returns what stands against the rest */
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

  #tell(error: Error): void {
    if (performance.now() - this.#toldAt < TELL_AGAIN) return;
    this.#toldAt = performance.now();
    this.#trouble.failing(error, this.#waitingLines(), this.#lost);
  }

  #waitingLines(): number {
    return this.#waiting.reduce((sum, { lines }) => sum + lines, 0);
  }

  /** Makes the file anew where another one has its name by now, or none. Until that can be done, lines go where they went. */
  #followName(): void {
    if (this.#path === null || performance.now() - this.#lookedAt < LOOK_AGAIN) return;
    this.#lookedAt = performance.now();
    try {
      if (identityOf(this.#path) === this.#identity) return;
      const fd = openToAppend(this.#path);
      closeSync(this.#fd);
      this.#fd = fd;
      this.#identity = identityOf(this.#path);
    } catch (error) {
      this.#tell(error as Error);
    }
  }
}

/** Opens a file, and makes it where there is none. A pipe that nobody reads is not waited for, which would stop the whole process. */
function openToAppend(path: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
  // Windows has no O_NONBLOCK, which is undefined there and counts as nothing.
  return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, MODE);
}

/** Equal as long as a path names the same file; empty where it names none. */
function identityOf(path: string | null): string {
  const stats = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.dev}:${stats.ino}`;
}

/**
 * Writes what can be written of bytes. A pipe that is full for the moment is waited for: whoever else writes to standard output, the log,
 * would else stand in the middle of a line.
 * @returns how many were written
 */
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
