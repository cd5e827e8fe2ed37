import type { Chance } from '../../fixtures/legacy/random.ts';
import { HostileClient, type Reply, type Sent } from './client.ts';
import { megabytes } from './report.ts';
import { type Outcome, Replies, type Trial } from './section.ts';

const CLIENTS = 64;

/** By how much memory may have grown when all is over, garbage collected, in bytes: plans, entity sets and sessions are kept. */
const KEPT = 300 * 1_048_576;

/** Answers that many clients at once get from a gateway that holds: served, in another's way, or asked to wait. */
const expected = /^(?:200|206|304|404 (?:1542|1543|1802)|409 \d+|422 \d+|503 (?:9013|9024))$/;

function anyRequest(random: Chance, sets: readonly string[]): Sent {
  const id = random.int(1, 400);
  const post = (url: string, body: unknown): Sent => ({
    method: 'POST',
    url,
    body: Buffer.from(JSON.stringify(body)),
  });
  const get = (url: string): Sent => ({ method: 'GET', url });
  switch (random.int(0, 11)) {
    case 0:
      return get(`/rest/Employee(${id})?$expand=employer,projects`);
    case 1:
      return get(
        `/rest/Employee?$filter="grade>${id % 9}"&$orderby="lastName"&$skip=${id}&$top=50`,
      );
    case 2:
      return get(`/rest/Order?$filter="lines.quantity>${id % 20}"&$attributes=ID,lines.*&$top=40`);
    case 3:
      return get(`/rest/Employee?$filter="ID>${id}"&$method=entityset&$top=5&$timeout=60`);
    case 4:
    case 5:
      return sets.length === 0
        ? get('/rest/Employee?$top=1')
        : get(`/rest/Employee/$entityset/${random.pick(sets)}?$skip=${id % 50}&$top=20`);
    case 6:
      return get(`/rest/Company/creditLimit?$compute=$all&$filter="ID>${id % 50}"`);
    case 7:
      return get('/rest/OrderLine?$format=csv&$top=500');
    case 8:
      return post('/rest/Employee?$atomic=true', [
        { __KEY: id, note: `note ${id}` },
        { __KEY: (id % 400) + 1, extra: { text: 'x'.repeat(id * 20) } },
      ]);
    case 9:
      return post('/rest/Category', [{ code: `load ${random.hex(8)}`, position: id }]);
    case 10:
      return get(`/rest/Employee(${id})?$lock=true`);
    default:
      return get(`/rest/Employee(${id})?$lock=false`);
  }
}

/** Many clients that read, write, keep entity sets and lock, each in a session of its own. */
export async function loaded(trial: Trial): Promise<Outcome> {
  const { random, until } = trial;
  const gateway = trial.gateway();
  const rest = await gateway.atRest();
  const client = new HostileClient(gateway.port, CLIENTS);
  const sets: string[] = [];
  const replies = new Replies(trial.broken, expected);
  const note = (reply: Reply, sent: Sent): void => {
    replies.note(reply, sent);
    if ('broken' in reply) return;
    const [, set] = /\$entityset\/(\w+)"/.exec(reply.bytes.toString('utf8', 0, 2000)) ?? [];
    if (set !== undefined && sets.push(set) > 500) sets.shift();
  };
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    const session = { 'entitygate-session': await sessionOf(client, index) };
    while (performance.now() < until) {
      const sent = { ...anyRequest(random, sets), headers: session };
      note(await client.send(sent), sent);
    }
  });
  await Promise.all(clients);
  const during = await gateway.read();
  client.close();
  const after = await gateway.atRest();
  if (after.rss - rest.rss > KEPT) {
    trial.broken(`memory of ${megabytes(after.rss)} afterwards, ${megabytes(rest.rss)} before`);
  }
  console.log(
    `  ${String(replies)}; heap ${megabytes(after.heapUsed)} (${megabytes(rest.heapUsed)} before), held ${during.held.toFixed(0)} ms`,
  );
  const { count: inputs } = replies;
  return { inputs, held: during.held, peak: during.peak, also: String(replies) };
}

/** The session that a client is known by: opened by what needs one. */
async function sessionOf(client: HostileClient, index: number): Promise<string> {
  const reply = await client.send({
    method: 'GET',
    url: `/rest/Employee(${index + 1})?$lock=true`,
  });
  const cookie = 'broken' in reply ? undefined : reply.headers['set-cookie']?.[0];
  return /=([^;]+)/.exec(cookie ?? '')?.[1] ?? '';
}
