import type { Case } from './cases.ts';
import { openClient, type Received, type Sent } from './load.ts';
import type { Side } from './process.ts';
import { seeded } from './random.ts';

/** How many requests of each case are compared before it is measured. */
const SAMPLE = 20;

/** The stamp that counts the database's changes moves on between two requests, by whoever else uses the server. */
function comparable(body: string): string {
  return body.replaceAll(/"__GlobalStamp":\d+/g, '"__GlobalStamp":0');
}

/** Sends one request on a connection of its own. @throws Error where it breaks, and for an answer that is not 200 */
export function ask(port: number, sent: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const client = openClient(port, reject);
    client.send(sent, true, (received) => {
      client.close();
      if (received.status === 200) resolve(received);
      else reject(new Error(`status ${received.status} to ${sent.path}: ${received.body}`));
    });
  });
}

/** Compares whole answers of both sides. @throws Error where they differ */
export async function compareSides(measured: Case, gateway: Side, byHand: Side): Promise<void> {
  const random = seeded(7);
  for (let turn = 0; turn < SAMPLE; turn += 1) {
    const asked = measured.next(random, turn);
    const one = comparable((await ask(gateway.port, asked.gateway)).body);
    const two = comparable((await ask(byHand.port, asked.byHand)).body);
    if (one === two) continue;
    const at = Array.from(one).findIndex((sign, index) => sign !== two[index]);
    const shown = [one, two].map((body) => body.slice(Math.max(0, at - 100), at + 200));
    throw new Error(`${measured.name}: the sides differ at ${at}:\n${shown.join('\n')}`);
  }
}
