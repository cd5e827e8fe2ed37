import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import {
  BODY_PAUSE,
  BODY_TIMEOUT,
  BodyGate,
  bodyGates,
  type BodyGates,
  type BodyMemory,
  GrowingBytes,
  MEMORY_TIMEOUT,
  receiveBody,
  type ReceivedBody,
} from '../../../src/server/bodies/receive-body.ts';

const MAX = 1_000_000;
const staying = new AbortController().signal;

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterAll(() => {
  // All limits share one timer, which tests of other files use as well.
  vi.runAllTimers();
  vi.useRealTimers();
});

/** A request that is sent piece by piece. */
interface Sender {
  readonly stream: PassThrough;
  readonly leave: () => void;
  /** How often it was told to go on. */
  readonly proceeded: () => number;
  readonly received: Promise<ReceivedBody>;
}

function sender(
  gate: BodyGate,
  announced: number | null,
  gates: BodyGates = { medium: gate, large: gate, unknown: gate },
  maxBytes = MAX,
): Sender {
  const stream = new PassThrough();
  const headers =
    announced === null
      ? { 'transfer-encoding': 'chunked' }
      : { 'content-length': String(announced) };
  const leaving = new AbortController();
  let proceeded = 0;
  const message = Object.assign(stream, { headers }) as unknown as IncomingMessage;
  const received = receiveBody(message, gates, maxBytes, leaving.signal, () => (proceeded += 1));
  received.catch(() => undefined);
  return {
    stream,
    leave: () => leaving.abort(new Error('hung up')),
    proceeded: () => proceeded,
    received,
  };
}

/** Until everything that can be done has been. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Whether a body of this size would have to wait now. */
async function isFull(gate: BodyGate, bytes: number): Promise<boolean> {
  const leaving = new AbortController();
  let memory: BodyMemory | undefined;
  const asked = gate.enter(bytes, leaving.signal).then(
    (given) => (memory = given),
    () => undefined,
  );
  await settled();
  leaving.abort();
  await asked;
  memory?.release();
  return memory === undefined;
}

test('a body that says its size has its place before it is read, and until it is left', async () => {
  const gate = new BodyGate(MAX);
  const { stream, received, proceeded } = sender(gate, 300_000);
  expect(await isFull(gate, 700_001)).toBe(true);
  expect(await isFull(gate, 700_000)).toBe(false);
  expect(proceeded()).toBe(1);
  const body = Buffer.alloc(300_000, 'abc');
  stream.write(body.subarray(0, 100_000));
  stream.end(body.subarray(100_000));
  const { bytes, memory } = await received;
  expect(bytes?.equals(body)).toBe(true);
  expect(await isFull(gate, 700_001)).toBe(true);
  memory.release();
  expect(await isFull(gate, MAX)).toBe(false);
});

test('a request without a body has none, and is told nothing', async () => {
  const { received, proceeded } = sender(new BodyGate(MAX), 0);
  expect((await received).bytes).toBeNull();
  expect(proceeded()).toBe(0);
});

test('a body that does not say its size gets a place when it outgrows a small one, and gives back what it did not need', async () => {
  const gate = new BodyGate(MAX);
  const { stream, received } = sender(gate, null);
  const body = Buffer.alloc(100_000, 'xyz');
  stream.write(body.subarray(0, 65_536));
  expect(await isFull(gate, MAX)).toBe(false);
  stream.write(body.subarray(65_536, 65_537));
  await settled();
  expect(await isFull(gate, 70_000)).toBe(true);
  stream.end(body.subarray(65_537));
  const { bytes, memory } = await received;
  expect(bytes?.equals(body)).toBe(true);
  expect(await isFull(gate, 900_001)).toBe(true);
  expect(await isFull(gate, 900_000)).toBe(false);
  memory.release();
  expect(await isFull(gate, MAX)).toBe(false);
});

test('a growing body waits for its place, and no more of it is read meanwhile', async () => {
  const gate = new BodyGate(MAX);
  const first = await gate.enter(100_000, staying);
  const { stream, received } = sender(gate, null);
  stream.write(Buffer.alloc(65_537));
  await settled();
  const later = Buffer.alloc(200_000);
  stream.write(later);
  await settled();
  expect(stream.readableLength).toBe(200_000);
  first.release();
  stream.end();
  expect((await received).bytes?.length).toBe(265_537);
});

test('who stops sending is given up after its time, which begins when it has its place', async () => {
  const gate = new BodyGate(MAX);
  const stalled = sender(gate, MAX);
  const waiting = sender(gate, MAX);
  stalled.stream.write(Buffer.alloc(10));
  await settled();
  expect([stalled.proceeded(), waiting.proceeded()]).toEqual([1, 0]);
  vi.advanceTimersByTime(BODY_PAUSE);
  await expect(stalled.received).rejects.toEqual(
    new ProtocolError('badRequest', 'The body did not arrive in time.'),
  );
  await settled();
  expect(waiting.proceeded()).toBe(1);
  vi.advanceTimersByTime(BODY_PAUSE - 1);
  waiting.stream.end(Buffer.alloc(MAX));
  expect((await waiting.received).bytes?.length).toBe(MAX);
});

test('who sends drop by drop is given up after its time', async () => {
  const dripping = sender(new BodyGate(MAX), MAX);
  const refused = expect(dripping.received).rejects.toThrow('did not arrive in time');
  for (let sent = 0; sent < BODY_TIMEOUT; sent += BODY_PAUSE / 2) {
    dripping.stream.write(Buffer.alloc(1));
    await settled();
    vi.advanceTimersByTime(BODY_PAUSE / 2);
  }
  await refused;
});

test('who waits too long for a place is told to come again', async () => {
  const gate = new BodyGate(MAX);
  await gate.enter(MAX, staying);
  const waiting = sender(gate, MAX);
  await settled();
  vi.advanceTimersByTime(MEMORY_TIMEOUT);
  await expect(waiting.received).rejects.toEqual(ProtocolError.of('bodiesWaiting'));
});

test.each([
  ['waits for its place', 1_000_000, 0],
  ['waits for its place while it grows', null, 65_537],
])('who leaves while it %s, gives it up', async (_title, announced, sent) => {
  const gate = new BodyGate(MAX);
  const first = await gate.enter(MAX, staying);
  const second = sender(gate, announced);
  second.stream.write(Buffer.alloc(sent));
  await settled();
  second.leave();
  await expect(second.received).rejects.toThrow('hung up');
  first.release();
  expect(await isFull(gate, MAX)).toBe(false);
});

test('who leaves while its body is read, or breaks off, gives its place up', async () => {
  const gate = new BodyGate(MAX);
  const leaving = sender(gate, 500_000);
  const broken = sender(gate, 500_000);
  leaving.stream.write(Buffer.alloc(10));
  expect(await isFull(gate, 70_000)).toBe(true);
  leaving.leave();
  await expect(leaving.received).rejects.toThrow('hung up');
  broken.stream.destroy(new Error('reset'));
  await expect(broken.received).rejects.toThrow('reset');
  expect(await isFull(gate, MAX)).toBe(false);
});

test('who sends little waits neither for those who send much nor for those who do not say how much', async () => {
  const most = 4_000_000;
  const gates = bodyGates(most);
  const send = (announced: number | null): Sender => sender(gates.medium, announced, gates, most);
  const large = [send(3_000_000), send(3_000_000)];
  const growing = Array.from({ length: 40 }, () => send(null));
  for (const { stream } of growing) stream.write(Buffer.alloc(70_000));
  await settled();
  expect(large.map(({ proceeded }) => proceeded())).toEqual([1, 0]);
  const small = send(70_000);
  small.stream.end(Buffer.alloc(70_000));
  expect((await small.received).bytes).toHaveLength(70_000);
  // One that turns out to be large waits for the place of such a one, and gives the other one back.
  const [first] = growing;
  first?.stream.write(Buffer.alloc(1_000_000));
  await settled();
  large[0]?.stream.end(Buffer.alloc(3_000_000));
  (await large[0]?.received)?.memory.release();
  large[1]?.leave();
  first?.stream.end();
  expect((await first?.received)?.bytes).toHaveLength(1_070_000);
});

test('a body that is larger than all room gets a place when no other has one', async () => {
  const gate = new BodyGate(100_000);
  const larger = await gate.enter(200_000, staying);
  expect(await isFull(gate, 70_000)).toBe(true);
  larger.release();
  expect(await isFull(gate, 200_000)).toBe(false);
});

test('what is not needed is given back, and nothing twice', async () => {
  const gate = new BodyGate(200_000);
  const first = await gate.enter(200_000, staying);
  first.shrink(100_000);
  expect([await isFull(gate, 100_000), await isFull(gate, 100_001)]).toEqual([false, true]);
  await gate.enter(100_000, staying);
  first.release();
  first.release();
  expect([await isFull(gate, 100_000), await isFull(gate, 100_001)]).toEqual([false, true]);
});

test('who has gone already gets no place, however small', async () => {
  const gone = AbortSignal.abort(new Error('hung up'));
  await expect(new BodyGate(100_000).enter(10, gone)).rejects.toThrow('hung up');
});

test('pieces of any size come out as they went in, in a buffer of that size', () => {
  const whole = Buffer.from(Array.from({ length: 10_000 }, (_, index) => index % 251));
  for (const size of [1, 7, 4096, 10_000]) {
    const bytes = new GrowingBytes(10_000);
    for (let at = 0; at < whole.length; at += size) {
      const piece = Buffer.from(whole.subarray(at, at + size));
      bytes.append(piece);
      // What was appended may be used again.
      piece.fill(0);
    }
    expect([bytes.take().equals(whole), bytes.length]).toEqual([true, 10_000]);
  }
  expect(new GrowingBytes(10).take().length).toBe(0);
});
