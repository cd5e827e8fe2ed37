import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';

/** An event of a stream. */
export interface StreamEvent {
  /** The `id` of the last event so far. */
  readonly id: string;
  readonly data: unknown;
}

/** Reads server-sent events as a browser's EventSource does, without coming again. */
export class EventReader {
  readonly events: StreamEvent[] = [];
  /** The `id` by which to go on. */
  lastId = '';
  isEnded = false;
  readonly #request: ClientRequest;
  #text = '';

  private constructor(sent: ClientRequest, response: IncomingMessage) {
    this.#request = sent;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#read(text));
    response.on('close', () => (this.isEnded = true));
    response.on('error', () => undefined);
  }

  static async open(
    port: number,
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<EventReader> {
    const sent = request({ host: '127.0.0.1', port, path, headers });
    sent.on('error', () => undefined);
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
    return new EventReader(sent, response);
  }

  close(): void {
    this.#request.destroy();
  }

  #read(text: string): void {
    this.#text += text;
    for (let end = this.#text.indexOf('\n\n'); end >= 0; end = this.#text.indexOf('\n\n')) {
      const block = this.#text.slice(0, end).split('\n');
      this.#text = this.#text.slice(end + 2);
      const field = (name: string): string | undefined =>
        block.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      this.lastId = field('id') ?? this.lastId;
      const data = field('data');
      if (data !== undefined) this.events.push({ id: this.lastId, data: JSON.parse(data) });
    }
  }
}
