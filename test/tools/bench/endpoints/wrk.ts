import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { testFolder } from '../../../config/files.ts';
import type { Sent } from './load.ts';
import type { Load } from './measure.ts';

/** Whether wrk is installed. */
export const HAS_WRK = spawnSync('wrk', ['--version']).error === undefined;

const SCRIPT = 'test/tools/bench/endpoints/wrk.lua';

/** How many requests are made beforehand, and sent in turns. */
const MADE = 4000;

/**
 * Keeps connections busy by wrk, which takes about a tenth of the processor that a client in Node.js does: what is measured shares it.
 * @throws Error for an answer that is not 200
 */
export async function runByWrk(
  port: number,
  connections: number,
  seconds: number,
  next: (connection: number) => Sent,
  begins: () => Promise<unknown>,
): Promise<Load> {
  const folder = await testFolder();
  try {
    const made = Array.from({ length: MADE }, (_, index) => `${printed(next(index))}\0`);
    const file = await folder.write('requests', made.join(''));
    await begins();
    const duration = Math.max(1, Math.round(seconds));
    const options = `-t 1 --timeout 60s -c ${connections} -d ${duration}s -s ${SCRIPT} http://127.0.0.1:${port}/`;
    const env = { ...process.env, REQUESTS: file };
    const { stdout } = await promisify(execFile)('wrk', options.split(' '), { env });
    const line = stdout.split('\n').find((one) => one.startsWith('{')) ?? '';
    const { requests, microseconds, errors, median, p99 } = JSON.parse(line) as Summary;
    if (errors > 0) throw new Error(`${errors} of ${requests} requests failed`);
    return { requests, seconds: microseconds / 1e6, median: median / 1000, p99: p99 / 1000 };
  } finally {
    await folder.remove();
  }
}

type Summary = Readonly<Record<'requests' | 'microseconds' | 'errors' | 'median' | 'p99', number>>;

/** A request as it is sent. */
function printed({ method = 'GET', path, headers = {}, body }: Sent): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}
