import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WaitingPieces, type Sink } from '../../src/server/waiting-pieces.ts';

type Done = Parameters<Sink['write']>[1];

/** A sink that writes when the test says so. */
class Reader implements Sink {
  waits: Sink['waits'] = 'briefly';
  readonly #taken: Uint8Array[] = [];
  /** What is being written. */
  under: { bytes: Uint8Array; done: Done } | null = null;
  /** What is done about each write that is to be done at once; after the last of them there is room for all. */
  atOnce: (number | string)[] = [];

  readonly write = (bytes: Uint8Array, done: Done): void => {
    if (this.under !== null) throw new Error('two writes at once');
    this.under = { bytes, done };
  };

  readonly writeSync = (bytes: Uint8Array): number => {
    const how = this.atOnce.shift() ?? bytes.length;
    if (typeof how === 'string') throw trouble(how);
    this.#taken.push(bytes.subarray(0, how));
    return how;
  };

  get taken(): string {
    return Buffer.concat(this.#taken).toString();
  }

  /** Takes so much of what is being written. */
  takes(length = Infinity): void {
    const { bytes, done } = this.#next();
    const part = bytes.subarray(0, length);
    this.#taken.push(part);
    done(null, part.length);
  }

  takesAll(): void {
    while (this.under !== null) this.takes();
  }

  refuses(code: string): void {
    this.#next().done(trouble(code), 0);
  }

  #next(): { bytes: Uint8Array; done: Done } {
    const { under } = this;
    if (under === null) throw new Error('nothing is written');
    this.under = null;
    return under;
  }
}

function trouble(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

let reader: Reader;
let told: number[];
let pieces: WaitingPieces;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  reader = new Reader();
  told = [];
  pieces = new WaitingPieces(reader, { most: 12, tell: (lost) => told.push(lost) });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('pieces that are written', () => {
  test('go in order, one at a time, and on from where one was cut', () => {
    pieces.write('één\n', 1);
    pieces.write('two\n', 1);
    reader.takes(1);
    reader.takes(2);
    reader.takesAll();
    pieces.write('three\n', 1);
    reader.takesAll();
    expect([reader.taken, pieces.lost, told]).toEqual(['één\ntwo\nthree\n', 0, []]);
  });

  test('are tried again when a pipe is full, less often each time, until it takes something', () => {
    pieces.write('one\n', 1);
    for (const pause of [5, 10, 20, 40, 80, 100, 100]) {
      reader.refuses('EAGAIN');
      vi.advanceTimersByTime(pause - 1);
      expect(reader.under).toBeNull();
      vi.advanceTimersByTime(1);
    }
    reader.takes(1);
    reader.refuses('EAGAIN');
    pieces.write('two\n', 1);
    expect(reader.under).toBeNull();
    vi.advanceTimersByTime(5);
    reader.takesAll();
    expect(reader.taken).toBe('one\ntwo\n');
  });

  test.each(['ENOSPC', 'EPIPE', 'EIO'])('are tried again a second after %s', (code) => {
    pieces.write('one\n', 1);
    reader.refuses(code);
    vi.advanceTimersByTime(999);
    expect(reader.under).toBeNull();
    vi.advanceTimersByTime(1);
    reader.takesAll();
    expect(reader.taken).toBe('one\n');
  });
});

describe('pieces for a sink that never waits', () => {
  test('are written at once, and the rest when there is room again', () => {
    reader.waits = 'never';
    pieces.write('one\n', 1);
    reader.atOnce = [3, 'EAGAIN', 'EAGAIN'];
    pieces.write('two\n', 1);
    pieces.write('three\n', 1);
    expect([reader.taken, reader.under]).toEqual(['one\ntwo', null]);
    vi.advanceTimersByTime(5);
    expect(reader.taken).toBe('one\ntwo');
    vi.advanceTimersByTime(10);
    expect(reader.taken).toBe('one\ntwo\nthree\n');
  });

  test('have their wait settled, and their gap told of', async () => {
    reader.waits = 'never';
    reader.atOnce = ['EAGAIN'];
    for (const piece of ['12345678\n', 'abcd\n', 'x\n']) pieces.write(piece, 1);
    const wait = pieces.taken(1000);
    vi.advanceTimersByTime(5);
    await wait;
    expect([reader.taken, told, pieces.lost]).toEqual(['12345678\n', [2], 2]);
  });

  test('are not written while nothing can be, and all at the end', () => {
    reader.waits = 'never';
    reader.atOnce = ['ENOSPC'];
    pieces.write('one\n', 1);
    pieces.write('two\n', 1);
    expect(reader.taken).toBe('');
    pieces.atEnd();
    pieces.writeLast(performance.now());
    expect(reader.taken).toBe('one\ntwo\n');
  });
});

describe('pieces for which there is no room', () => {
  test('are lost whole, in one gap, which is told when half of what waits is written', () => {
    for (const piece of ['aa\na\n', 'bbbb\n']) pieces.write(piece, piece.split('\n').length - 1);
    pieces.write('c\nc\n', 2);
    // There would be room for this one, behind the gap.
    pieces.write('\n', 1);
    expect([pieces.lost, told]).toEqual([3, []]);
    reader.takes(3);
    expect(told).toEqual([]);
    reader.takes(2);
    expect([pieces.lost, told]).toEqual([3, [3]]);
    pieces.write('d\n', 1);
    reader.takesAll();
    expect([reader.taken, pieces.lost, told]).toEqual(['aa\na\nbbbb\nd\n', 3, [3]]);
  });

  test('are counted anew in the next gap', () => {
    for (let gap = 0; gap < 2; gap += 1) {
      pieces.write('12345678\n', 1);
      pieces.write('1234\n', 1);
      reader.takesAll();
    }
    expect([reader.taken, pieces.lost, told]).toEqual(['12345678\n12345678\n', 2, [1, 1]]);
  });

  test('are not those that are longer than all that may wait, where nothing does', () => {
    pieces.write('123456789012345\n', 1);
    expect(pieces.lost).toBe(0);
    pieces.write('1\n', 1);
    reader.takesAll();
    expect([reader.taken, told]).toEqual(['123456789012345\n', [1]]);
  });

  test('have what tells of them written where they were', () => {
    pieces = new WaitingPieces(reader, {
      most: 13,
      tell: (lost) => pieces.write(`${lost} lost\n`, 1),
    });
    for (const piece of ['1234567\n', 'abc\n', 'x\n', 'y\n']) pieces.write(piece, 1);
    reader.takes();
    pieces.write('z\n', 1);
    reader.takesAll();
    expect(reader.taken).toBe('1234567\nabc\n2 lost\nz\n');
  });
});

describe('the wait for what is not written yet', () => {
  /** Whether it is over; microtasks are done by then. */
  async function isOver(wait: Promise<void>): Promise<boolean> {
    const over = wait.then(() => true);
    return Promise.race([over, new Promise<boolean>((r) => setImmediate(() => r(false)))]);
  }

  test('is over when all is written', async () => {
    expect(await isOver(pieces.taken(1000))).toBe(true);
    pieces.write('one\n', 1);
    pieces.write('two\n', 1);
    const wait = pieces.taken(1000);
    reader.takes();
    expect(await isOver(wait)).toBe(false);
    reader.refuses('EAGAIN');
    expect(await isOver(wait)).toBe(false);
    vi.advanceTimersByTime(5);
    reader.takes();
    expect(await isOver(wait)).toBe(true);
  });

  test('is over when the time is', async () => {
    pieces.write('one\n', 1);
    const wait = pieces.taken(1000);
    vi.advanceTimersByTime(999);
    expect(await isOver(wait)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await isOver(wait)).toBe(true);
  });

  test('is over when it cannot be written', async () => {
    pieces.write('one\n', 1);
    const wait = pieces.taken(1000);
    reader.refuses('ENOSPC');
    expect(await isOver(wait)).toBe(true);
    expect(await isOver(pieces.taken(1000))).toBe(true);
  });
});

describe('at the end of the process', () => {
  const until = (milliseconds: number): number => performance.now() + milliseconds;

  test('all is written at once that can be', () => {
    pieces.atEnd();
    pieces.write('one\n', 1);
    pieces.write('two\n', 1);
    expect(reader.under).toBeNull();
    reader.atOnce = [2, 'EAGAIN'];
    pieces.writeLast(until(1000));
    expect(reader.taken).toBe('one\ntwo\n');
  });

  test('what another thread writes is left to it', () => {
    pieces.write('one\n', 1);
    pieces.write('two\n', 1);
    pieces.atEnd();
    pieces.writeLast(until(1000));
    expect(reader.taken).toBe('two\n');
  });

  test('nobody is waited for when the time is over, nor where it cannot be written', () => {
    pieces.atEnd();
    pieces.write('one\n', 1);
    for (const [code, time] of [
      ['EAGAIN', 0],
      ['ENOSPC', 1000],
      ['EPIPE', 1000],
    ] as const) {
      reader.atOnce = [code];
      pieces.writeLast(until(time));
      expect([code, reader.taken]).toEqual([code, '']);
    }
  });

  test('it is told of a gap', () => {
    pieces = new WaitingPieces(reader, {
      most: 4,
      tell: (lost) => pieces.write(`${lost} lost\n`, 1),
    });
    pieces.atEnd();
    pieces.write('one\n', 1);
    pieces.write('two\n', 1);
    pieces.writeLast(until(1000));
    expect(reader.taken).toBe('one\n1 lost\n');
  });

  test('a write that does not end is stuck, where that may be', () => {
    pieces.write('one\n', 1);
    pieces.write('two\n', 1);
    vi.advanceTimersByTime(501);
    expect(pieces.isStuck).toBe(false);
    reader.waits = 'untilRead';
    expect(pieces.isStuck).toBe(true);
    pieces.writeLast(until(1000));
    expect(reader.taken).toBe('');
    reader.takes();
    expect(pieces.isStuck).toBe(false);
  });
});
