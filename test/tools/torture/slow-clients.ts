import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../../fixtures/legacy/random.ts';

/** Clients that behave badly for a while. */
export interface Crowd {
  readonly name: string;
  readonly size: number;
  /** What one of them does with its connection, until the time is over; it is closed afterwards. */
  readonly behave: (socket: Socket, random: Chance, isOver: () => boolean) => Promise<void> | void;
}

const HOST = 'Host: localhost\r\n';
const LARGE = 16_777_216;

/** The BLOB that was put there to be read. */
export const BLOB = '/rest/Document(c0ffee00-0000-4000-8000-000000000001)/content?$binary=true';

function post(url: string, length: number): string {
  return `POST ${url} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

function get(url: string): string {
  return `GET ${url} HTTP/1.1\r\n${HOST}\r\n`;
}

/** Asks for an answer and takes nothing of it. */
function unread(name: string, size: number, url: string): Crowd {
  return {
    name,
    size,
    behave: (socket) => {
      socket.pause();
      socket.write(get(url));
    },
  };
}

/** All of them, one crowd after the other. */
export const crowds: readonly Crowd[] = [
  {
    name: 'bodies of 16 MB that stall',
    size: 90,
    behave: (socket) => {
      socket.write(post('/rest/Employee', LARGE));
      socket.write(Buffer.alloc(1_000_000, ' '));
    },
  },
  {
    name: 'bodies without a length that stall',
    size: 90,
    behave: (socket) => {
      socket.write(`POST /rest/Employee HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
      socket.write(`100000\r\n${' '.repeat(0x100000)}\r\n`);
    },
  },
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
  {
    name: 'requests on one connection that are not read',
    size: 40,
    behave: (socket) => {
      socket.pause();
      socket.write(get('/rest/Employee?$top=400&$attributes=*,employer.*').repeat(50));
    },
  },
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
