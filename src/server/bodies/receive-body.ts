import type { IncomingMessage } from 'node:http';
import { ClientGone, inTime } from '../../base/time.ts';
import { ProtocolError } from '../../base/errors.ts';
import { Semaphore } from '../../database/pool.ts';

/** Collects bytes in at most twice their memory, however small the pieces are. */
export class GrowingBytes {
  readonly #most: number;
  #buffer = Buffer.alloc(0);
  #length = 0;

  /** @param most how many bytes come at most */
  constructor(most: number) {
    this.#most = most;
  }

  get length(): number {
    return this.#length;
  }

  append(piece: Buffer): void {
    const needed = this.#length + piece.length;
    if (needed > this.#buffer.length) {
      const size = Math.max(needed, Math.min(2 * this.#buffer.length, this.#most));
      const larger = Buffer.allocUnsafe(size);
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    piece.copy(this.#buffer, this.#length);
    this.#length = needed;
  }

  /** The bytes, in a buffer of their size. */
  take(): Buffer {
    return this.#length === this.#buffer.length
      ? this.#buffer
      : Buffer.from(this.#buffer.subarray(0, this.#length));
  }
}

/** How long a body may take to arrive once there is memory for it, in milliseconds. */
export const BODY_TIMEOUT = 120_000;

/** How long a client may pause within a body, in milliseconds: others wait for its memory. */
export const BODY_PAUSE = 10_000;

export interface ReceivedBody {
  readonly bytes: Buffer | null;
  /** Held until {@link BodyMemory.release} is called. */
  readonly memory: BodyMemory;
}

/**
 * Reads the body of a request when there is memory for it. A body of unknown size gets some as soon as it turns out not to be small, and that of the
 * largest size when it turns out to be large: two that grew step by step could wait for each other.
 * @param proceed tells a client that asked first to send the body
 * @throws ProtocolError bodyTooLarge, before anything is read where the size is known; badRequest when it does not arrive in time; the signal's reason
 */
export async function receiveBody(
  message: IncomingMessage,
  gates: BodyGates,
  maxBytes: number,
  signal: AbortSignal,
  proceed: () => void,
): Promise<ReceivedBody> {
  const announced = announcedBytes(message);
  if (announced !== null && announced > maxBytes) throw tooLarge(maxBytes);
  const gate = (announced ?? 0) > MEDIUM_BODY ? gates.large : gates.medium;
  let memory = await gate.enter(announced ?? 0, signal);
  if (announced === 0) return { bytes: null, memory };
  proceed();
  // Most bodies have arrived with their heads.
  if (announced !== null && announced <= SMALL_BODY && message.readableLength === announced) {
    return { bytes: await wholeBody(message), memory };
  }
  const body = new GrowingBytes(announced ?? maxBytes);
  // To destroy the message with the loop would destroy the connection, and a refusal could not be sent.
  const chunks = message.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  // For how many bytes there is memory.
  let room = announced ?? SMALL_BODY;
  let deadline = performance.now() + BODY_TIMEOUT;
  try {
    for (;;) {
      const milliseconds = Math.min(deadline - performance.now(), BODY_PAUSE);
      const { value } = await inTime(chunks.next(), signal, { milliseconds, tooLate });
      if (value === undefined) break;
      if (body.length + value.length > maxBytes) throw tooLarge(maxBytes);
      body.append(value);
      if (body.length <= room) continue;
      const isLarge = body.length > MEDIUM_BODY;
      room = isLarge ? maxBytes : Math.min(MEDIUM_BODY, maxBytes);
      const larger = await (isLarge ? gates.large : gates.unknown).enter(room, signal);
      memory.release();
      memory = larger;
      deadline = performance.now() + BODY_TIMEOUT;
    }
  } catch (error) {
    memory.release();
    throw error;
  }
  memory.shrink(body.length);
  return { bytes: body.take(), memory };
}

/** Reads a body that has arrived, and waits for its end, so that the connection can be kept. */
async function wholeBody(message: IncomingMessage): Promise<Buffer | null> {
  const bytes = message.read() as Buffer | null;
  if (!message.complete) {
    await new Promise((resolve) => {
      message.once('end', resolve).once('close', resolve).resume();
    });
  }
  return bytes;
}

const tooLate = (): ProtocolError =>
  new ProtocolError('badRequest', 'The body did not arrive in time.');

function tooLarge(maxBytes: number): ProtocolError {
  const [unit, name] = maxBytes < 1_048_576 ? [1024, 'kB'] : [1_048_576, 'MB'];
  const size = `${maxBytes} bytes (${Number((maxBytes / unit).toPrecision(3))} ${name})`;
  const message = `The body is larger than ${size}, the most that is accepted. Send less at once.`;
  return new ProtocolError('bodyTooLarge', message).advising(
    'The limit is server.maxBodyBytes, and of agents also mcp.maxRequestBytes.',
  );
}

/** The size of a body; null where only its end shows it. */
function announcedBytes({ headers }: IncomingMessage): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}

/** Bodies up to this size need no memory of a gate, in bytes: they take little beside what a connection takes. */
export const SMALL_BODY = 65_536;

/** Bodies up to this size have a gate of their own, in bytes: a save of a few entities does not wait for one of thousands. */
export const MEDIUM_BODY = 1_048_576;

/** The memory of all medium bodies together, in bytes. */
const MEDIUM_ROOM = 33_554_432;

export interface BodyGates {
  readonly medium: BodyGate;
  readonly large: BodyGate;
  /** Those of unknown size, as long as they are medium: one that stalls only keeps others of them waiting. */
  readonly unknown: BodyGate;
}

/** @param maxBytes the largest body; one of that size gets its memory when no other large one has any */
export function bodyGates(maxBytes: number): BodyGates {
  const large = new BodyGate(maxBytes);
  if (maxBytes <= MEDIUM_BODY) return { medium: large, large, unknown: large };
  return { medium: new BodyGate(MEDIUM_ROOM), large, unknown: new BodyGate(MEDIUM_ROOM) };
}

/** The memory that a body may take, until it is given back. */
export interface BodyMemory {
  /** Gives back what is not needed. @param bytes how much is needed */
  readonly shrink: (bytes: number) => void;
  /** Gives back all; a second time has no effect. */
  readonly release: () => void;
}

/** How long a body may wait for its memory, in milliseconds. */
export const MEMORY_TIMEOUT = 30_000;

/** Gives large bodies their memory in turn, so that it is bounded however many arrive at once. Small ones pass. */
export class BodyGate {
  readonly #capacity: number;
  readonly #bytes: Semaphore;

  /** @param capacity in bytes; a larger body gets its memory when no other has any */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#bytes = new Semaphore(capacity);
  }

  /** Waits for the memory of a body, in the order of arrival. @throws ProtocolError bodiesWaiting where none becomes free in time; the signal's reason */
  async enter(bytes: number, signal: AbortSignal): Promise<BodyMemory> {
    signal.throwIfAborted();
    let held = bytes <= SMALL_BODY ? 0 : Math.min(bytes, this.#capacity);
    if (held > 0) {
      await this.#bytes
        .acquire(signal, MEMORY_TIMEOUT, bodiesWaiting, { amount: held })
        .catch((error: unknown) => {
          throw error instanceof ClientGone ? error.cause : error;
        });
    }
    const shrink = (needed: number): void => {
      const spare = Math.max(0, held - needed);
      held -= spare;
      this.#bytes.release(spare);
    };
    return { shrink, release: () => shrink(0) };
  }
}

const bodiesWaiting = (): ProtocolError => ProtocolError.of('bodiesWaiting');
