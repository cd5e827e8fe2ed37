import { problemOf } from './answer-shape.ts';
import { largeBodies, mutatedBody } from './bodies.ts';
import { HostileClient, type Sent } from './client.ts';
import { LONGEST_HOLD, Worst, type Outcome, type Trial } from './section.ts';

const AT_ONCE = 4;
const BATCH = 64;

/** How large bodies are made, in bytes: up to what a body may have. */
const SIZES: readonly number[] = [200_000, 2_000_000, 16_700_000];

/** What messages of agents have to say. */
const OF_AGENTS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** A body that holds the loop for longer than this is not made larger, in milliseconds. */
const ENOUGH = 500;

/** Sends mutated bodies by the thousand, and large ones of every kind. */
export async function torturedBodies(trial: Trial): Promise<Outcome> {
  const { random, until } = trial;
  let client = new HostileClient(trial.gateway().port, AT_ONCE);
  const worst = new Worst(100);
  let inputs = 0;
  let peak = 0;
  const tryOne = async (name: string, sent: Sent): Promise<void> => {
    const reply = await client.send(sent);
    inputs += 1;
    const problem = problemOf(reply, sent.method);
    if (problem !== null) trial.broken(`${problem} to ${name}`);
  };
  const shown = ({ url, body }: Sent): string =>
    `POST ${url} ${(body?.toString('latin1') ?? '').slice(0, 300)}`;
  /** @returns how long it held the loop, in milliseconds */
  const measure = async (name: string, sent: Sent): Promise<number> => {
    const gateway = trial.gateway();
    try {
      await gateway.read();
      await tryOne(name, sent);
      const first = await gateway.read();
      let { held } = first;
      if (held > LONGEST_HOLD && held < ENOUGH) {
        await tryOne(name, sent);
        held = Math.min(held, (await gateway.read()).held);
      }
      peak = Math.max(peak, first.peak);
      worst.note(name, held);
      return held;
    } catch (error) {
      const end = gateway.end();
      trial.broken(end === null ? `${String(error)} to ${name}` : `${end} at ${name}`);
      worst.note(name, Infinity);
      await trial.restart();
      client.close();
      client = new HostileClient(trial.gateway().port, AT_ONCE);
      return Infinity;
    }
  };
  const share = trial.match === '' ? 0.3 : 0;
  const third = performance.now() + (until - performance.now()) * share;
  for (let left = 200; left > 0; left -= 1) await tryOne('', mutatedBody(random));
  while (performance.now() < third) {
    const batch = Array.from({ length: BATCH }, () => mutatedBody(random));
    await trial.gateway().read();
    const left = [...batch];
    const senders = Array.from({ length: AT_ONCE }, async () => {
      for (let sent = left.pop(); sent !== undefined; sent = left.pop())
        await tryOne(shown(sent), sent);
    });
    await Promise.all(senders);
    const { held } = await trial.gateway().read();
    if (held <= LONGEST_HOLD) worst.note('mutated bodies', held);
    else for (const sent of batch) await measure(shown(sent), sent);
  }
  for (const body of largeBodies(random)) {
    if (performance.now() > until) break;
    if (!body.name.includes(trial.match)) continue;
    for (const size of SIZES) {
      const bytes = body.bytes(size).subarray(0, 16_777_216);
      const name = `POST ${body.url} ${body.name}, ${bytes.length} bytes`;
      const sent = body.url.startsWith('/')
        ? { method: 'POST', url: body.url, body: bytes, headers: OF_AGENTS }
        : { method: 'POST', url: `/rest/${body.url}`, body: bytes };
      const held = await measure(name, sent);
      if (held > ENOUGH || performance.now() > until) break;
    }
  }
  client.close();
  for (const line of worst.above(LONGEST_HOLD)) trial.broken(`held for ${line}`);
  return { inputs, held: worst.longest, peak, also: '' };
}
