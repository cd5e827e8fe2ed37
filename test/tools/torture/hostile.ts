import type { Chance } from '../../fixtures/legacy/random.ts';
import { problemOf } from './answer-shape.ts';
import { HostileClient, type Sent } from './client.ts';
import { LONGEST_HOLD, type Outcome, type Trial } from './section.ts';

/** Hostile inputs of one kind. */
export interface Inputs {
  readonly name: string;
  /** How many mutated ones are sent first: code runs slowly until it is compiled, which is not what is looked for. */
  readonly warmUp: number;
  /** Which share of the time goes to mutated inputs; large ones get the rest. */
  readonly share: number;
  readonly mutated: (random: Chance) => Sent;
  /** Every large input, in an order of chance: growing sizes of each. */
  readonly large: (random: Chance) => Iterable<readonly Large[]>;
  /** Whether a connection may be closed instead of an answer. */
  readonly mayBreak?: (sent: Sent) => boolean;
}

/** An input that may be large. */
export interface Large {
  readonly name: string;
  readonly sent: () => Sent;
}

const AT_ONCE = 4;
const BATCH = 64;

/** An input that holds the loop for longer than this is not made larger, in milliseconds. */
const ENOUGH = 500;

/** A request, shortened so that a line of the report shows it. */
function shown({ method, url, body }: Sent): string {
  const said = body === undefined ? '' : ` ${body.toString('latin1', 0, 300)}`;
  const short = url.length <= 300 ? url : `${url.slice(0, 200)}…${url.slice(-60)}`;
  return `${method} ${short}${said}${short === url ? '' : ` (${url.length} bytes)`}`;
}

/** Sends mutated inputs by the thousand, and large ones of every kind. */
export async function tortured(trial: Trial, inputs: Inputs): Promise<Outcome> {
  const { random, until } = trial;
  let client = new HostileClient(trial.gateway().port, AT_ONCE);
  let [sentInAll, peak, longest] = [0, 0, 0];
  const note = (name: string, held: number): void => {
    longest = Math.max(longest, held);
    if (held > LONGEST_HOLD) trial.broken(`held for ${held.toFixed(0)} ms: ${name}`);
  };
  const tryOne = async (sent: Sent, name = shown(sent)): Promise<void> => {
    const reply = await client.send(sent);
    sentInAll += 1;
    if ('broken' in reply && inputs.mayBreak?.(sent) === true) return;
    const problem = problemOf(reply, sent.method);
    if (problem !== null) trial.broken(`${problem} to ${name}`);
  };
  /** @returns how long it held the loop, in milliseconds */
  const measure = async (sent: Sent, name = shown(sent)): Promise<number> => {
    const gateway = trial.gateway();
    try {
      await gateway.read();
      await tryOne(sent, name);
      const first = await gateway.read();
      let { held } = first;
      // What holds the loop does so again; collecting garbage, or another program, does not.
      if (held > LONGEST_HOLD && held < ENOUGH) {
        await tryOne(sent, name);
        held = Math.min(held, (await gateway.read()).held);
      }
      peak = Math.max(peak, first.peak);
      note(name, held);
      return held;
    } catch (error) {
      const end = gateway.end();
      trial.broken(end === null ? `${String(error)} to ${name}` : `${end} at ${name}`);
      note(name, Infinity);
      await trial.restart();
      client.close();
      client = new HostileClient(trial.gateway().port, AT_ONCE);
      return Infinity;
    }
  };
  const share = trial.match === '' ? inputs.share : 0;
  const turn = performance.now() + (until - performance.now()) * share;
  for (let left = inputs.warmUp; left > 0; left -= 1) await tryOne(inputs.mutated(random));
  while (performance.now() < turn) {
    const batch = Array.from({ length: BATCH }, () => inputs.mutated(random));
    await trial.gateway().read();
    const left = [...batch];
    const senders = Array.from({ length: AT_ONCE }, async () => {
      for (let sent = left.pop(); sent !== undefined; sent = left.pop()) await tryOne(sent);
    });
    await Promise.all(senders);
    const { held } = await trial.gateway().read();
    if (held <= LONGEST_HOLD) note(`mutated ${inputs.name}`, held);
    else for (const sent of batch) await measure(sent);
  }
  for (const sizes of inputs.large(random)) {
    for (const { name, sent } of sizes) {
      if (performance.now() > until) break;
      if (name.includes(trial.match) && (await measure(sent(), name)) > ENOUGH) break;
    }
    if (performance.now() > until) break;
  }
  client.close();
  return { inputs: sentInAll, held: longest, peak, also: '' };
}

/** Takes things in an order of chance. */
export function* shuffled<Item>(items: readonly Item[], random: Chance): Generator<Item> {
  const left = [...items];
  while (left.length > 0) yield* left.splice(random.int(0, left.length - 1), 1);
}

/** Changes a text at some places. @param change a part of it, between what stands before and after */
export function changedText(
  text: string,
  random: Chance,
  change: (part: string, before: string, after: string) => string,
): string {
  let changed = text;
  for (let left = random.int(1, 4); left > 0; left -= 1) {
    const at = random.int(0, changed.length);
    const to = Math.min(changed.length, at + random.int(0, 12));
    changed = change(changed.slice(at, to), changed.slice(0, at), changed.slice(to));
  }
  return changed;
}
