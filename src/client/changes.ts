import type { Connection } from './connection.ts';
import { parseJson } from './json.ts';
import type { ChangeEvent } from './types.ts';

/** How long a stream that the gateway has ended waits before it goes on, in milliseconds. */
const REOPENED_AFTER = 1000;

/**
 * The keys of entities that change: `for await (const { dataclass, keys } of stream)`. The gateway ends a stream after ten minutes, and when its
 * configuration changes; this one then goes on by itself. A broken connection is an error: another stream goes on behind the token.
 */
export class ChangeStream<Name extends string> implements AsyncIterable<ChangeEvent<Name>> {
  /** How far changes were told, for a stream that goes on behind them; undefined before anything is read. */
  token: string | undefined;
  readonly #connection: Connection;
  readonly #dataclasses: readonly Name[];
  readonly #signal: AbortSignal | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null;

  constructor(
    connection: Connection,
    dataclasses: readonly Name[],
    since: string | undefined,
    signal: AbortSignal | undefined,
  ) {
    this.#connection = connection;
    this.#dataclasses = dataclasses;
    this.#signal = signal;
    this.token = since;
  }

  /** Sends the request. When this is done, every later change is told. @throws GatewayError */
  async open(): Promise<void> {
    const response = await this.#connection.fetch('/$changes/stream', {
      parameters: { dataclasses: this.#dataclasses.join(), since: this.token },
      signal: this.#signal,
    });
    if (!response.ok || response.body === null) await this.#connection.answer(response);
    this.#reader = response.body?.getReader() ?? null;
  }

  /** Ends the stream, as leaving the loop does. */
  async close(): Promise<void> {
    const reader = this.#reader;
    this.#reader = null;
    await reader?.cancel();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ChangeEvent<Name>, void, undefined> {
    try {
      while (this.#reader !== null) {
        yield* this.#events(this.#reader);
        if (this.#isClosed()) return;
        await new Promise((resolve) => setTimeout(resolve, REOPENED_AFTER));
        if (!this.#isClosed()) await this.open();
      }
    } finally {
      await this.close();
    }
  }

  /** Whether it was closed from outside of the loop. */
  #isClosed(): boolean {
    return this.#reader === null;
  }

  /** Reads server-sent events until the body ends. */
  async *#events(
    reader: ReadableStreamDefaultReader<Uint8Array>,
  ): AsyncGenerator<ChangeEvent<Name>, void, undefined> {
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const fields = new Map(
          event.split('\n').map((line): [string, string] => {
            const [, name = '', field = ''] = /^(\w*): ?(.*)/.exec(line) ?? [];
            return [name, field];
          }),
        );
        const data = fields.get('data');
        if (data !== undefined) yield parseJson(data) as ChangeEvent<Name>;
        // A reader who has left may not have dealt with the event.
        this.token = fields.get('id') ?? this.token;
      }
    }
  }
}
