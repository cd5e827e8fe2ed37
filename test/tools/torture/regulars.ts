import { setTimeout as sleep } from 'node:timers/promises';
import { HostileClient, type Reply, type Sent } from './client.ts';

/** Requests of people who do nothing wrong, while others do. */
export const everyday = {
  live: { method: 'GET', url: '/health/live' },
  read: { method: 'GET', url: '/rest/Employee?$top=5&$attributes=ID,lastName,employer.name' },
  save: {
    method: 'POST',
    url: '/rest/Employee?$atomic=true',
    body: Buffer.from(JSON.stringify([{ __KEY: 7, extra: { text: 'x'.repeat(70_000) } }])),
  },
} as const satisfies Readonly<Record<string, Sent>>;

/** How long each may take at most, in milliseconds. */
export const patience: Readonly<Record<keyof typeof everyday, number>> = {
  live: 1000,
  read: 5000,
  save: 15_000,
};

/** Between two requests of one kind, in milliseconds. */
const PAUSE = 50;

/** Sends each of them again and again, one after the other, and remembers what went worst. */
export class Regulars {
  /** The longest of each kind, in milliseconds. */
  readonly worst = { live: 0, read: 0, save: 0 };
  /** How many were sent. */
  count = 0;
  readonly #client: HostileClient;
  readonly #broken: (what: string) => void;
  #isOver = false;
  readonly #done: Promise<unknown>;

  /** @param broken hears of what was not served, or too late */
  constructor(port: number, broken: (what: string) => void) {
    this.#client = new HostileClient(port, 3);
    this.#broken = broken;
    const kinds = ['live', 'read', 'save'] as const;
    this.#done = Promise.all(kinds.map((kind) => this.#repeat(kind)));
  }

  /** Ends when those under way are answered. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
    this.#client.close();
  }

  async #repeat(kind: keyof typeof everyday): Promise<void> {
    while (!this.#isOver) {
      const reply = await this.#client.send(everyday[kind]);
      this.count += 1;
      this.worst[kind] = Math.max(this.worst[kind], reply.took);
      const said = outcomeOf(reply);
      if (said !== '200') this.#broken(`a ${kind} came to ${said}`);
      else if (reply.took > patience[kind]) {
        this.#broken(`a ${kind} took ${reply.took.toFixed(0)} ms`);
      }
      await sleep(PAUSE);
    }
  }
}

/** How a request ended: its status, with the code where it failed; or how the connection broke. */
export function outcomeOf(reply: Reply): string {
  if ('broken' in reply) return reply.broken;
  const [, code] = /"errCode":(\d+)/.exec(reply.bytes.toString('utf8', 0, 4000)) ?? [];
  return code === undefined ? String(reply.status) : `${reply.status} ${code}`;
}
