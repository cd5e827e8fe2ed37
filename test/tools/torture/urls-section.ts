import { problemOf } from './answer-shape.ts';
import { HostileClient, type Sent } from './client.ts';
import { LONGEST_HOLD, Worst, type Outcome, type Trial } from './section.ts';
import { longUrls, mutatedRequest } from './urls.ts';

/** How many requests are sent at once, and how many between two readings. */
const AT_ONCE = 4;
const BATCH = 64;

/** As many bytes of a URL as go beside the headers into what the gateway takes of both. */
const LONGEST = 64_000;

/** Shortened, so that a line of the report shows it. */
export function shown({ method, url }: Sent): string {
  return url.length <= 300
    ? `${method} ${url}`
    : `${method} ${url.slice(0, 200)}…${url.slice(-60)} (${url.length} bytes)`;
}

/** Sends mutated URLs by the thousand, and every payload in every place. */
export async function torturedUrls(trial: Trial): Promise<Outcome> {
  const { random, until } = trial;
  const gateway = trial.gateway();
  const client = new HostileClient(gateway.port, AT_ONCE);
  const worst = new Worst(40);
  let inputs = 0;
  const tryOne = async (sent: Sent): Promise<void> => {
    const reply = await client.send(sent);
    inputs += 1;
    // What is not an HTTP request may be hung up on, behind an answer or another one's.
    if ('broken' in reply && !/^\/[\u0021-\u007e\u0080-\u00ff]*$/.test(sent.url)) return;
    const problem = problemOf(reply, sent.method);
    if (problem !== null) trial.broken(`${problem} to ${shown(sent)}`);
  };
  const measure = async (name: string, sent: Sent): Promise<void> => {
    await gateway.read();
    await tryOne(sent);
    const { held } = await gateway.read();
    if (held <= LONGEST_HOLD) {
      worst.note(name, held);
      return;
    }
    // What holds the loop does so again; collecting garbage, or another program, does not.
    await tryOne(sent);
    worst.note(name, Math.min(held, (await gateway.read()).held));
  };
  // Code runs slowly until it is compiled: that is not what is looked for.
  for (let left = 500; left > 0; left -= 1) await tryOne(mutatedRequest(random, LONGEST));
  const share = trial.match === '' ? 0.5 : 0;
  const half = performance.now() + (until - performance.now()) * share;
  while (performance.now() < half) {
    const batch = Array.from({ length: BATCH }, () => mutatedRequest(random, LONGEST));
    await gateway.read();
    const left = [...batch];
    const senders = Array.from({ length: AT_ONCE }, async () => {
      for (let sent = left.pop(); sent !== undefined; sent = left.pop()) await tryOne(sent);
    });
    await Promise.all(senders);
    const { held } = await gateway.read();
    if (held <= LONGEST_HOLD) worst.note('mutated URLs', held);
    else for (const sent of batch) await measure(shown(sent), sent);
  }
  for (const { name, sent } of longUrls(random, LONGEST)) {
    if (performance.now() > until) break;
    if (!name.includes(trial.match)) continue;
    await measure(name, sent);
  }
  client.close();
  for (const line of worst.above(LONGEST_HOLD)) trial.broken(`held for ${line}`);
  return { inputs, held: worst.longest, peak: null, also: '' };
}
