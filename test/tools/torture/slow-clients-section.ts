import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostileClient, type Sent } from './client.ts';
import { everyday, outcomeOf, Regulars } from './regulars.ts';
import { megabytes } from './report.ts';
import type { Outcome, Trial } from './section.ts';
import type { Chance } from '../../fixtures/legacy/random.ts';

/** Clients that behave badly for a while. */
interface Crowd {
  readonly name: string;
  readonly size: number;
  /** What one of them does with its connection, until the time is over; it is closed afterwards. */
  readonly behave: (socket: Socket, random: Chance, isOver: () => boolean) => Promise<void> | void;
}

const HOST = 'Host: localhost\r\n';
const LARGE = 16_777_216;

/** The BLOB that was put there to be read. */
const BLOB = '/rest/Document(c0ffee00-0000-4000-8000-000000000001)/content?$binary=true';

function post(url: string, length: number): string {
  return `POST ${url} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

function get(url: string): string {
  return `GET ${url} HTTP/1.1\r\n${HOST}\r\n`;
}

/** Asks for an answer, or for one after the other, and takes nothing of it. */
function unread(name: string, size: number, url: string, times = 1): Crowd {
  return {
    name,
    size,
    behave: (socket) => {
      socket.pause();
      socket.write(get(url).repeat(times));
    },
  };
}

/** Sends the beginning of a request and of its body, and nothing more. */
function stalled(name: string, head: string, body: string): Crowd {
  return {
    name,
    size: 90,
    behave: (socket) => {
      socket.write(head);
      socket.write(body);
    },
  };
}

/** All of them, one crowd after the other. */
const crowds: readonly Crowd[] = [
  stalled('bodies of 16 MB that stall', post('/rest/Employee', LARGE), ' '.repeat(1_000_000)),
  stalled(
    'bodies without a length that stall',
    `POST /rest/Employee HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`,
    `100000\r\n${' '.repeat(0x100000)}\r\n`,
  ),
  {
    name: 'a byte at a time',
    size: 100,
    behave: async (socket, random, isOver) => {
      const text = random.oneIn(2)
        ? get(`/rest/Employee?$filter="lastName=${'x'.repeat(4000)}"`)
        : post('/rest/Employee', 4000) + '{'.repeat(4000);
      for (const character of text) {
        if (isOver() || socket.destroyed) return;
        socket.write(character);
        await sleep(20);
      }
    },
  },
  { name: 'connections that say nothing', size: 200, behave: () => undefined },
  unread(
    'pages that are not read',
    40,
    '/rest/Employee?$top=10000&$attributes=*,employer.*,manager.*,projects.*,directReports.*',
  ),
  unread('exports that are not read', 40, '/rest/OrderLine?$format=ndjson'),
  unread('BLOBs that are not read', 40, `${BLOB}&$expand=content`),
  {
    name: '400 requests at once on each connection',
    size: 20,
    behave: (socket) => {
      socket.on('data', () => undefined);
      socket.write(get('/rest/Employee?$top=20').repeat(400));
    },
  },
  unread(
    'requests on one connection that are not read',
    40,
    '/rest/Employee?$top=400&$attributes=*,employer.*',
    50,
  ),
  {
    name: 'clients that leave',
    size: 60,
    behave: async (socket, random, isOver) => {
      const { remotePort: port = 0 } = socket;
      let current = socket;
      while (!isOver()) {
        const requests = [
          get('/rest/Employee?$top=10000&$attributes=*,projects.*'),
          get('/rest/OrderLine?$format=csv'),
          get('/rest/Employee?$method=entityset'),
          post('/rest/Employee?$atomic=true', 60) + '[{"__KEY":7,"note":"left"}]'.padEnd(60),
          post('/rest/Employee', LARGE) + ' '.repeat(300_000),
          post('/rest/Employee', 100_000) + '[{'.padEnd(90_000),
        ];
        current.write(random.pick(requests));
        await sleep(random.int(0, 40));
        if (random.oneIn(2)) current.resetAndDestroy();
        else current.destroy();
        current = connect(port, '127.0.0.1');
        current.on('error', () => undefined);
      }
      current.destroy();
    },
  },
  {
    name: 'ends that are half closed',
    size: 100,
    behave: (socket) => {
      socket.pause();
      socket.end(get('/rest/Employee?$top=400'));
    },
  },
];

/** By how much the memory may grow while others dawdle, in bytes: a few bodies, and what Node.js takes for their connections. */
const GROWTH = 400 * 1_048_576;

/** How long the gateway may take to be rid of connections that their clients have closed, in milliseconds. */
const CLOSING = 15_000;

/** How much longer than it should all may take, in milliseconds: where requests wait for ever, each of their time-outs is waited for. */
const LATE = 60_000;

/** Connections to the database that may have been opened meanwhile. */
const SPARE = 12;

/** Connections that stall, dawdle, do not read, and go; and how others are served meanwhile. */
export async function slowClients(trial: Trial): Promise<Outcome> {
  const { random, until } = trial;
  const gateway = trial.gateway();
  const client = new HostileClient(gateway.port, 16);
  const sendAll = (sent: Sent, times: number): Promise<string[]> =>
    Promise.all(Array.from({ length: times }, async () => outcomeOf(await client.send(sent))));
  const stored = await client.send({
    method: 'POST',
    url: BLOB,
    body: Buffer.alloc(12_000_000, 7),
  });
  if (outcomeOf(stored) !== '200') trial.broken(`a BLOB of 12 MB came to ${outcomeOf(stored)}`);
  await sendAll(everyday.read, 16);
  const rest = await gateway.atRest();
  const worst = { live: 0, read: 0, save: 0 };
  let [inputs, held, peak, lasting] = [0, 0, 0, 0];
  const chosen = crowds.filter(({ name }) => name.includes(trial.match));
  const share = (until - performance.now()) / chosen.length;
  for (const { name, size, behave } of chosen) {
    if (performance.now() > until + LATE) {
      trial.broken(`no time was left to try ${name}`);
      continue;
    }
    // What Node.js has not given back since the crowd before counts for that one.
    const before = await gateway.atRest();
    const end = performance.now() + share;
    const isOver = (): boolean => performance.now() > end;
    const broken = (what: string): void => trial.broken(`${what} beside ${name}`);
    const sockets: Socket[] = [];
    const regulars = new Regulars(gateway.port, broken);
    const behaving = Array.from({ length: size }, async () => {
      const socket = connect(gateway.port, '127.0.0.1');
      socket.on('error', () => undefined);
      sockets.push(socket);
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
      if (!socket.destroyed) await behave(socket, random, isOver);
    });
    await sleep(share);
    await regulars.stop();
    await Promise.all(behaving);
    const during = await gateway.read();
    for (const socket of sockets) socket.destroy();
    const closing = performance.now();
    let { sockets: open } = await gateway.read();
    while (open > rest.sockets + SPARE && performance.now() - closing < CLOSING) {
      await sleep(100);
      ({ sockets: open } = await gateway.read());
    }
    lasting = Math.max(lasting, performance.now() - closing);
    if (open > rest.sockets + SPARE) broken(`${open - rest.sockets} sockets stay open`);
    const after = await sendAll(everyday.read, 32);
    const failed = after.filter((said) => said !== '200');
    if (failed.length > 0) broken(`afterwards reads come to ${failed[0] ?? ''}`);
    inputs += size + regulars.count;
    held = Math.max(held, during.held);
    peak = Math.max(peak, during.peak);
    if (during.peak - before.rss > GROWTH) broken(`memory of ${megabytes(during.peak)}`);
    for (const kind of ['live', 'read', 'save'] as const) {
      worst[kind] = Math.max(worst[kind], regulars.worst[kind]);
    }
    console.log(
      `  ${name}: live ${regulars.worst.live.toFixed(0)}, read ${regulars.worst.read.toFixed(0)}, save ${regulars.worst.save.toFixed(0)} ms; ` +
        `held ${during.held.toFixed(0)} ms; ${megabytes(during.peak)}; closed in ${(performance.now() - closing).toFixed(0)} ms`,
    );
  }
  client.close();
  const { live, read, save } = worst;
  return {
    inputs,
    held,
    peak,
    also:
      `at worst /health/live ${live.toFixed(0)} ms, a read ${read.toFixed(0)} ms, a save ${save.toFixed(0)} ms; ` +
      `all connections closed in ${lasting.toFixed(0)} ms`,
  };
}
