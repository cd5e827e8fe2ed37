import { once } from 'node:events';
import { rename, symlink } from 'node:fs/promises';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readTlsFiles } from '../../../src/config/secrets/tls-files.ts';
import { jsonAnswer } from '../../../src/answer/answer.ts';
import type { Handler } from '../../../src/server/rest.ts';
import { keepTlsFresh, type TlsSettings } from '../../../src/server/http/tls.ts';
import { testFolder, type TestFolder } from '../../config/files.ts';
import { makeCertificate, type Certificate } from '../../fixtures/certificates.ts';
import { answerTo } from '../../fixtures/http.ts';
import { start, type Answer, type Started } from '../serving.ts';

const HSTS = 'strict-transport-security';

let first: Certificate;
let second: Certificate;
beforeAll(async () => {
  [first, second] = await Promise.all([makeCertificate('first'), makeCertificate('second')]);
});

let folder: TestFolder;
beforeEach(async () => {
  folder = await testFolder();
});
afterEach(() => folder.remove());

async function write({ cert, key }: Partial<Certificate>, within = ''): Promise<void> {
  for (const [name, text] of Object.entries({ 'tls.crt': cert, 'tls.key': key })) {
    if (text === undefined) continue;
    // Beside it first: nobody sees a half of it.
    const written = await folder.write(`${within}${name}.new`, text);
    await rename(written, written.replace(/\.new$/, ''));
  }
}

/** What TLS is served with from files in the folder. */
async function tlsOf(
  folders: readonly string[] = [folder.path],
  minVersion: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.2',
): Promise<TlsSettings> {
  const certificate = join(folder.path, 'tls.crt');
  const key = join(folder.path, 'tls.key');
  const read = (): ReturnType<typeof readTlsFiles> =>
    readTlsFiles({ certificate, key, minVersion });
  return { pair: (await read()).pair, folders, read };
}

async function startTls(options: Parameters<typeof start>[0] = {}): Promise<Started> {
  await write(first);
  return start({ tls: await tlsOf(), ...options });
}

/** An answer over TLS, by a client that knows the certificate. */
async function ask(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  { cert: ca } = first,
): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', port, path, headers, ca, agent: false });
  const { bytes, ...answer } = await answerTo(sent);
  return { ...answer, text: bytes.toString('utf8') };
}

async function connected(port: number, options: object = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

/** Sends bytes over TLS and gives what comes until the connection ends. */
async function askRaw(port: number, bytes: Buffer): Promise<string> {
  const socket = await connected(port);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(bytes);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
}

/** The common name of the certificate that a new connection is shown. */
async function shown(port: number): Promise<string> {
  const socket = await connected(port);
  const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>;
  socket.destroy();
  return subject?.CN?.toString() ?? '';
}

const isSecure: Handler = (asked) =>
  Promise.resolve(jsonAnswer(JSON.stringify({ isSecure: asked.isSecure, url: asked.url })));

describe('over TLS', () => {
  test('requests are answered, and browsers told to insist on it', async () => {
    const { port } = await startTls({ handle: isSecure });
    const answer = await ask(port, '/rest/Employee');
    expect(answer.text).toBe('{"isSecure":true,"url":"/rest/Employee"}');
    const broken = await ask(port, '/%zz');
    expect([answer, broken].map(({ status, headers }) => [status, headers[HSTS]])).toEqual([
      [200, 'max-age=31536000'],
      [400, 'max-age=31536000'],
    ]);
    const raw = await askRaw(port, Buffer.from('GET /rest/ü HTTP/1.1\r\nHost: a\r\n\r\n'));
    expect(raw).toContain('{"isSecure":true,"url":"/rest/%C3%BC"}');
  });

  test('what a trusted proxy says of its client goes before its own connection', async () => {
    const { port } = await startTls({ handle: isSecure, trustedProxies: ['127.0.0.1'] });
    const answer = await ask(port, '/rest', { 'x-forwarded-proto': 'http' });
    expect(answer.text).toBe('{"isSecure":false,"url":"/rest"}');
  });

  test('what is not a request is answered', async () => {
    const { port, log } = await startTls();
    const answer = await askRaw(port, Buffer.from('hello\r\n\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*strict-transport-security: max-age=31536000\r/i);
    expect(answer).toContain('"errCode":9010');
    const long = `GET /rest HTTP/1.1\r\nHost: ${'a'.repeat(9000)}\r\n\r\n`;
    expect(await askRaw(port, Buffer.from(long))).toContain('HTTP/1.1 431 ');
    expect(log).toEqual([]);
  });

  test('what speaks no TLS is hung up on, and not a word is logged', async () => {
    const { port, log } = await startTls();
    const socket = connectPlain(port, '127.0.0.1', () =>
      socket.write('GET /rest HTTP/1.1\r\nHost: a\r\n\r\n'),
    );
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => undefined);
    await once(socket, 'close');
    expect(Buffer.concat(chunks).toString('latin1')).not.toContain('HTTP');
    expect((await ask(port, '/rest')).status).toBe(200);
    expect(log.map(({ msg }) => msg)).toEqual(['request']);
  });

  test('connections on which nothing was asked do not keep the server from its end', async () => {
    const { server, port } = await startTls();
    const isTaken = once(server.server, 'connection');
    const begun = connectPlain(port, '127.0.0.1').on('error', () => undefined);
    await isTaken;
    const shaken = await connected(port);
    shaken.on('error', () => undefined);
    await Promise.all([server.close(), once(begun, 'close'), once(shaken, 'close')]);
  });

  test.each([
    ['TLSv1.2', 'TLSv1.1', null],
    ['TLSv1.3', 'TLSv1.2', null],
    ['TLSv1.3', 'TLSv1.3', 'TLSv1.3'],
  ] as const)('from %s on, a client of %s gets %s', async (minVersion, version, expected) => {
    await write(first);
    const { port } = await start({ tls: await tlsOf([], minVersion) });
    const agreed = connected(port, {
      minVersion: version,
      maxVersion: version,
      // OpenSSL would refuse to speak what is that old.
      ciphers: 'DEFAULT@SECLEVEL=0',
    }).then(
      (socket) => {
        const protocol = socket.getProtocol();
        socket.destroy();
        return protocol;
      },
      () => null,
    );
    expect(await agreed).toBe(expected);
  });
});

describe('a certificate that is replaced', () => {
  test('is shown to new connections, while those that are open go on', async () => {
    const { port, log } = await startTls();
    const open = await connected(port);
    expect(await shown(port)).toBe('first');
    await write(second);
    await vi.waitFor(async () => expect(await shown(port)).toBe('second'), 20_000);
    open.write('GET /rest/open HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(String(((await once(open, 'data')) as [Buffer])[0])).toContain('HTTP/1.1 200 OK');
    open.destroy();
    const msg = 'using the new certificate for new connections';
    expect(log.filter((line) => line['msg'] !== 'request')).toMatchObject([{ level: 30, msg }]);
  });

  test('is shown where the files are links into a folder that is replaced', async () => {
    await write(first, 'v1/');
    await write(second, 'v2/');
    const at = (name: string): string => join(folder.path, name);
    await symlink('v1', at('..data'));
    await symlink('..data/tls.crt', at('tls.crt'));
    await symlink('..data/tls.key', at('tls.key'));
    const { port } = await start({ tls: await tlsOf() });
    expect(await shown(port)).toBe('first');
    await symlink('v2', at('..tmp'));
    await rename(at('..tmp'), at('..data'));
    await vi.waitFor(async () => expect(await shown(port)).toBe('second'), 20_000);
  });
});

describe('the files are looked at', () => {
  /** What is heard of them: pairs by their certificates, and what is logged. */
  function watching(tls: TlsSettings, timing = { settling: 1, polling: 5 }): Heard {
    const heard: string[] = [];
    const note = (level: string) => (message: string) =>
      void heard.push(`${level}: ${message.replaceAll(`${folder.path}/`, '')}`);
    const nameOf = (cert: unknown): string =>
      cert === first.cert ? 'first' : cert === second.cert ? 'second' : 'another one';
    ending = keepTlsFresh(
      { setSecureContext: ({ cert }) => heard.push(nameOf(cert)) },
      tls,
      { info: note('info'), warn: note('warn'), error: note('error') },
      timing,
    );
    return { heard, looks: () => vi.mocked(tls.read).mock.calls.length };
  }

  interface Heard {
    readonly heard: string[];
    readonly looks: () => number;
  }

  let ending = (): void => undefined;
  afterEach(() => ending());

  /** Settings whose files are read as often as a test wants to know, and that no folder tells of. */
  async function polled(): Promise<TlsSettings> {
    await write(first);
    const tls = await tlsOf([]);
    return { ...tls, read: vi.fn(tls.read) };
  }

  async function severalLooks({ looks }: Heard): Promise<void> {
    const from = looks();
    await vi.waitFor(() => expect(looks()).toBeGreaterThan(from + 4), 20_000);
  }

  const taken = 'info: using the new certificate for new connections';

  test('now and then, where nothing tells of a change, and what is not welcome to clients is said', async () => {
    const watched = watching(await polled());
    await severalLooks(watched);
    expect(watched.heard).toEqual([]);
    await write(await makeCertificate('late', [-20, -10]));
    await vi.waitFor(() => expect(watched.heard).toContain(taken), 20_000);
    await severalLooks(watched);
    expect(watched.heard.filter((line) => !line.startsWith('error'))).toEqual([
      ...['another one', taken],
      expect.stringMatching(/^warn: the certificate in tls\.crt has expired: /),
    ]);
  });

  test('and what cannot be used is said once, and changes nothing', async () => {
    const unusable = (why: string): string =>
      `error: the new certificate or key cannot be used; keeping the old ones: server.tls.key: tls.key ${why}`;
    const watched = watching(await polled());
    await write({ key: second.key });
    await severalLooks(watched);
    await severalLooks(watched);
    const mixed = unusable('is not the key of the certificate in tls.crt');
    expect(watched.heard).toEqual([mixed]);
    await write({ cert: second.cert });
    await vi.waitFor(() => expect(watched.heard).toContain(taken), 20_000);
    await write({ key: 'broken' });
    await severalLooks(watched);
    const none = 'holds no private key in PEM form, "-----BEGIN PRIVATE KEY-----" and what follows';
    expect(watched.heard).toEqual([mixed, 'second', taken, unusable(none)]);
  });

  test('once more, before what is wrong is said: the other file may be on its way', async () => {
    const tls = await polled();
    await write(second);
    const half = new Error('the key does not belong to the certificate');
    const watched = watching({ ...tls, read: vi.fn(tls.read).mockRejectedValueOnce(half) });
    await vi.waitFor(() => expect(watched.heard).toContain(taken), 20_000);
    expect(watched.heard).toEqual(['second', taken]);
  });

  test('no more when the server has closed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
    try {
      const { pair } = await polled();
      const read = vi.fn(() => Promise.resolve({ pair, warnings: [] }));
      const watched = watching({ pair, folders: [], read });
      await vi.advanceTimersByTimeAsync(12);
      expect(watched.looks()).toBe(2);
      ending();
      await vi.advanceTimersByTimeAsync(1000);
      expect(watched.looks()).toBe(2);
      expect(watched.heard).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });
});
