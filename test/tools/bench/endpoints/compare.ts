import type { Case } from './cases/case.ts';
import { Client } from 'undici';
import { send, type Received, type Sent } from './load.ts';
import type { Side } from './process.ts';
import { chance } from '../../../fixtures/legacy/random.ts';

/** How many requests of each case are compared before it is measured. */
const SAMPLE = 20;

/** The stamp that counts the database's changes moves on between two requests, by whoever else uses the server. */
function comparable(body: string, varies: RegExp | undefined): string {
  const same = body.replaceAll(/"__GlobalStamp":\d+/g, '"__GlobalStamp":0');
  return varies === undefined ? same : same.replaceAll(varies, '#');
}

/** Sends one request on a connection of its own. @throws Error where it breaks, and for an answer that is not 200 */
export async function ask(port: number, sent: Sent): Promise<Received> {
  const client = new Client(`http://127.0.0.1:${port}`);
  try {
    const received = await send(client, sent, true);
    if (received.status === 200) return received;
    throw new Error(`status ${received.status} to ${sent.path}: ${received.body}`);
  } finally {
    await client.destroy();
  }
}

/** Compares whole answers of both sides. @throws Error where they differ */
export async function compareSides(measured: Case, gateway: Side, byHand: Side): Promise<void> {
  const sides = [
    { audience: 'gateway', side: gateway, random: chance(7) },
    { audience: 'byHand', side: byHand, random: chance(7) },
  ] as const;
  for (let turn = 0; turn < SAMPLE; turn += 1) {
    const bodies: string[] = [];
    for (const { audience, side, random } of sides) {
      const sent = measured.next(random, turn, audience);
      bodies.push(comparable((await ask(side.port, sent)).body, measured.varies));
    }
    const [one = '', two = ''] = bodies;
    if (one === two) continue;
    const at = Array.from(one).findIndex((sign, index) => sign !== two[index]);
    const shown = [one, two].map((body) => body.slice(Math.max(0, at - 100), at + 300));
    throw new Error(`${measured.name}: the sides differ at ${at}:\n${shown.join('\n')}`);
  }
}
