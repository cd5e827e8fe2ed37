import type { IncomingMessage } from 'node:http';
import { ProtocolError } from '../../base/errors.ts';
import { onAbort } from '../../base/abort.ts';
import { type BodyGates, MEDIUM_BODY, type Place, SMALL_BODY } from './body-gate.ts';

/** Bytes that arrive in pieces of any size: what they take is at most twice what has arrived, however small the pieces are. */
export class GrowingBytes {
  readonly #most: number;
  #buffer = Buffer.alloc(0);
  #length = 0;

  /** @param most how many bytes come at most */
  constructor(most: number) {
    this.#most = most;
  }

  /** How many bytes have arrived. */
  get length(): number {
    return this.#length;
  }

  append(piece: Buffer): void {
    const needed = this.#length + piece.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(
        Math.max(needed, Math.min(2 * this.#buffer.length, this.#most)),
      );
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    piece.copy(this.#buffer, this.#length);
    this.#length = needed;
  }

  /** What has arrived, in a buffer of that size. */
  take(): Buffer {
    return this.#length === this.#buffer.length
      ? this.#buffer
      : Buffer.from(this.#buffer.subarray(0, this.#length));
  }
}

/** How long a body may take to arrive once it has its place, in milliseconds: senders that dawdle hold no memory for ever. */
export const BODY_TIMEOUT = 120_000;

/** How long a sender may pause, in milliseconds: one that has stopped keeps the others waiting for its place. */
export const BODY_PAUSE = 10_000;

/** A body as it was received. */
export interface ReceivedBody {
  /** Null where the request has none. */
  readonly bytes: Buffer | null;
  /** Held until {@link Place.leave} is called. */
  readonly place: Place;
}

/** What bodies are received with. */
export interface BodyReception {
  readonly gates: BodyGates;
  /** The largest body that is read. */
  readonly maxBytes: number;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** Called when the body may be sent: a client that asked first is told so. */
  readonly proceed: () => void;
}

/**
 * Reads the body of a request when there is a place for it: one of as many bytes as it says it has. A body that does not say
 * gets one as soon as it turns out not to be small, and one of as many bytes as a body may have when it is large: two that grew could wait for each other.
 * @throws ProtocolError bodyTooLarge, before anything is read where the body says its size; badRequest for one that does not
 *   arrive in time
 * @throws the reason of the signal
 */
export async function receiveBody(
  message: IncomingMessage,
  { gates, maxBytes, signal, proceed }: BodyReception,
): Promise<ReceivedBody> {
  const announced = announcedBytes(message);
  if (announced !== null && announced > maxBytes) throw ProtocolError.of('bodyTooLarge');
  const gate = (announced ?? 0) > MEDIUM_BODY ? gates.large : gates.medium;
  let place = await gate.enter(announced ?? 0, signal);
  if (announced === 0) return { bytes: null, place };
  proceed();
  // Most bodies have come along with their heads.
  if (announced !== null && announced <= SMALL_BODY && message.readableLength === announced) {
    return { bytes: await wholeBody(message), place };
  }
  const body = new GrowingBytes(announced ?? maxBytes);
  // Were the message destroyed with the loop, so would be the connection, and a refusal could not be sent.
  const chunks = message.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  // Up to where the body has its place.
  let room = announced ?? SMALL_BODY;
  let deadline = performance.now() + BODY_TIMEOUT;
  try {
    for (;;) {
      const { value } = await inTime(
        chunks.next(),
        Math.min(deadline, performance.now() + BODY_PAUSE),
        signal,
      );
      if (value === undefined) break;
      if (body.length + value.length > maxBytes) throw ProtocolError.of('bodyTooLarge');
      body.append(value);
      if (body.length <= room) continue;
      const isLarge = body.length > MEDIUM_BODY;
      room = isLarge ? maxBytes : Math.min(MEDIUM_BODY, maxBytes);
      const larger = await (isLarge ? gates.large : gates.unknown).enter(room, signal);
      place.leave();
      place = larger;
      deadline = performance.now() + BODY_TIMEOUT;
    }
  } catch (error) {
    place.leave();
    throw error;
  }
  place.shrink(body.length);
  return { bytes: body.take(), place };
}

/** A body of which all bytes are there already: its end is told at once, and with it that the connection can be kept. */
async function wholeBody(message: IncomingMessage): Promise<Buffer | null> {
  const bytes = message.read() as Buffer | null;
  if (!message.complete) {
    await new Promise((resolve) => {
      message.once('end', resolve).once('close', resolve).resume();
    });
  }
  return bytes;
}

/** How many bytes the body has; null where only its end shows it. */
function announcedBytes({ headers }: IncomingMessage): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}

/** What work comes to, unless it takes too long or the signal is aborted first. */
async function inTime<Result>(
  work: Promise<Result>,
  deadline: number,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (error: Error): void => {
      clearTimeout(timer);
      ignoreAbort();
      reject(error);
    };
    const ignoreAbort = onAbort(signal, () => stop(signal.reason as Error));
    const timer = setTimeout(() => {
      stop(new ProtocolError('badRequest', 'The body did not arrive in time.'));
    }, deadline - performance.now());
    work.then((result) => {
      clearTimeout(timer);
      ignoreAbort();
      resolve(result);
    }, stop);
  });
}
