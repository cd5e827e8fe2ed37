import { MemorySessions } from '../../src/state/session/memory-sessions.ts';
import { request as send } from 'node:http';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { NOBODY } from '../../src/base/principal.ts';
import { requestLog } from '../../src/base/observe/request-log.ts';
import { jsonAnswer } from '../../src/answer/answer.ts';
import { logBase, logTime, takingLines } from '../../src/server/http/log-output.ts';
import type { Caller } from '../../src/server/pipeline/caller.ts';
import type { Handler, Handling } from '../../src/server/rest.ts';
import { buildServer, type ServerOptions } from '../../src/server/server.ts';
import { answerTo } from '../fixtures/http.ts';

/** A server that listens, and what it has logged since. */
export interface Started {
  readonly server: FastifyInstance;
  readonly port: number;
  readonly log: Record<string, unknown>[];
}

/** Whoever it is that asks. */
export const anybody: Caller = {
  principal: NOBODY,
  audience: {
    key: '',
    model: {
      dataclasses: new Map(),
      warnings: [],
      functions: new Map(),
      singletons: new Map(),
      leftOut: new Map(),
    },
    isFunction: () => false,
    claims: [],
    isAdmin: false,
  },
  session: null,
  hasEnded: false,
};

const echo: Handler = ({ verb, url, headers, body }) =>
  Promise.resolve(
    jsonAnswer(
      JSON.stringify({
        ...(verb === 'GET' || verb === 'HEAD' ? {} : { verb }),
        url,
        ...(body === null
          ? {}
          : { contentType: headers['content-type'] ?? null, body: body.toString('latin1') }),
      }),
    ),
  );

/** Those of a server where nobody signs in by an identity provider. */
const nobodySignsIn: Handling['signIn'] = {
  signIn: null,
  sessions: new MemorySessions({ timeoutSeconds: 60, max: 1 }, () => undefined),
  sessionNames: { cookie: 'SID', header: 'sid' },
  settings: { server: { createdStatus: 200, hosts: [] }, sessions: { timeoutSeconds: 60 } },
};

/** Those of a server that is not asked by agents. */
const noAgents: Handling['agents'] = {
  settings: {
    enabled: false,
    tools: [],
    write: false,
    maxRequestBytes: 262_144,
    maxAnswerBytes: 4096,
  },
  application: 'Test',
  values: { bigNumbersAsStrings: false },
  actingFor: (user) => user,
  refuseOtherSite: () => undefined,
};

/** The options of a test's server, with the parts of its handling. */
export type StartOptions = Partial<
  Omit<ServerOptions, 'served' | 'log'> & Handling & { readonly logLevel: string }
>;

/** Starts a server that echoes what it is asked; it is closed at the end of the test. */
export async function start(
  {
    admit,
    handle,
    failed,
    endStreams,
    refusalHeaders,
    agents,
    unauthenticatedHosts = null,
    logLevel = 'info',
    ...options
  }: StartOptions = {},
  beside: FastifyPluginCallback | null = null,
): Promise<Started> {
  const log: Record<string, unknown>[] = [];
  const logTo = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      log.push(JSON.parse(chunk.toString('utf8')) as Record<string, unknown>);
      done();
    },
  });
  const base = logBase(null);
  const logger = pino({ level: logLevel, base, timestamp: logTime }, logTo);
  const server = buildServer({
    served: {
      handling: {
        unauthenticatedHosts,
        admit: admit ?? (() => Promise.resolve(anybody)),
        handle: handle ?? echo,
        failed: failed ?? (() => Promise.resolve()),
        endStreams: endStreams ?? (() => undefined),
        refusalHeaders: refusalHeaders ?? (() => ({})),
        agents: agents ?? noAgents,
        signIn: nobodySignsIn,
        resource: { issuers: null, application: '', settings: { hosts: [] } },
      },
    },
    ping: () => Promise.resolve(),
    maxHeaderBytes: 8192,
    maxBodyBytes: 1_048_576,
    observer: requestLog(takingLines(logger, base, logTo)),
    log: logger,
    ...options,
  });
  onTestFinished(() => server.close());
  if (beside !== null) server.register(beside);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  log.length = 0;
  return { server, port, log };
}

/** What a test waits for, and how it is let through. */
export function gate(): { readonly passed: Promise<void>; readonly pass: () => void } {
  let pass = (): void => undefined;
  const passed = new Promise<void>((resolve) => (pass = resolve));
  return { passed, pass };
}

const portOf = (at: number | Pick<Started, 'port'>): number =>
  typeof at === 'number' ? at : at.port;

/** An answer over HTTP. */
export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/** Sends a request to a server, or to the port of one. */
export async function ask(
  at: number | Pick<Started, 'port'>,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answer> {
  const { body, headers, ...others } = options;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const rest = { ...others, headers: { ...length, ...headers } };
  const sent = send({ host: '127.0.0.1', port: portOf(at), path, ...rest });
  const { bytes, ...answer } = await answerTo(sent, body);
  return { ...answer, text: bytes.toString('utf8') };
}

/** Sends bytes as they are, and gives the first answer that comes, and what comes behind it. */
export function askRaw(
  at: number | Pick<Started, 'port'>,
  bytes: string | Buffer,
): Promise<Answer & { readonly rest: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(portOf(at), '127.0.0.1', () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const whole = Buffer.concat(chunks).toString('utf8');
      const [head = '', text = ''] = whole.split('\r\n\r\n', 2);
      const [line = '', ...fields] = head.split('\r\n');
      resolve({
        status: Number(line.split(' ')[1]),
        headers: Object.fromEntries(
          fields.map((field) => {
            const [name = '', value = ''] = field.split(': ', 2);
            return [name.toLowerCase(), value];
          }),
        ),
        text,
        rest: whole.slice(head.length),
      });
    });
  });
}

/** What every error has: the protocol's shape, as JSON, for nobody to keep. */
export function expectError(
  answer: Answer,
  status: number,
  errCode: number,
  message?: string,
): void {
  expect({ status: answer.status, body: JSON.parse(answer.text) as unknown }).toEqual({
    status,
    body: {
      __ERROR: [{ message: message ?? expect.any(String), componentSignature: 'dbmg', errCode }],
    },
  });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
}
