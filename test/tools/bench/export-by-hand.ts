/**
 * The other side of `exports.ts`: the rows of a table as lines of JSON, as one writes it by hand from what `COPY … TO STDOUT` sends. Started with the URL of
 * the database; tells its port.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

const COPY =
  'COPY (SELECT id, ver, name, price, quantity, sold_on, active FROM app.item ORDER BY id) TO STDOUT';

const ESCAPES: Readonly<Record<string, string>> = { '\\\\': '\\', '\\n': '\n', '\\t': '\t' };

/** https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS-TEXT */
function text(field: string): string {
  if (field === '\\N') return 'null';
  const plain = field.includes('\\')
    ? field.replace(/\\[\\nt]/g, (escape) => ESCAPES[escape] ?? escape)
    : field;
  return JSON.stringify(plain);
}

function line(row: string): string {
  const [id, ver, name = '', price, quantity, soldOn = '', active] = row.split('\t');
  const day = soldOn === '\\N' ? 'null' : `"${soldOn}"`;
  return `{"__KEY":${id},"__STAMP":${ver},"id":${id},"name":${text(name)},"price":${price},"quantity":${quantity},"soldOn":${day},"active":${active === 't'}}\n`;
}

interface Reading {
  readonly stream: NodeJS.ReadableStream;
}

/** A query of pg that copies rows to an answer, which is awaited where it is full. */
class CopyOut {
  readonly #answer: ServerResponse;
  readonly #done: (error?: Error) => void;
  #lines: string[] = [];
  #length = 0;

  constructor(answer: ServerResponse, done: (error?: Error) => void) {
    this.#answer = answer;
    this.#done = done;
  }

  submit(connection: { query: (text: string) => void }): void {
    connection.query(COPY);
  }

  handleCopyData({ chunk }: { chunk: Buffer }, connection: Reading): void {
    const written = line(chunk.toString('utf8', 0, chunk.length - 1));
    this.#lines.push(written);
    this.#length += written.length;
    if (this.#length < 65_536) return;
    if (this.#flush()) return;
    connection.stream.pause();
    this.#answer.once('drain', () => connection.stream.resume());
  }

  #flush(): boolean {
    const isTaken = this.#answer.write(this.#lines.join(''));
    this.#lines = [];
    this.#length = 0;
    return isTaken;
  }

  handleCommandComplete(): void {
    this.#flush();
  }

  handleError(error: Error): void {
    this.#done(error);
  }

  handleReadyForQuery(connection: Reading): void {
    // An answer that has ended does not drain.
    connection.stream.resume();
    this.#done();
  }
}

const client = new pg.Client({ connectionString: process.argv[2] });
await client.connect();
const server = createServer((_, answer) => {
  answer.setHeader('content-type', 'application/x-ndjson');
  client.query(
    new CopyOut(answer, (error) =>
      error === undefined ? answer.end() : answer.destroy(error),
    ) as unknown as pg.Submittable,
  );
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
