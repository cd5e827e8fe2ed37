import { askRaw } from '../../server/serving.ts';
import type { Served, Shape, Verb } from './engines.ts';
import { sample, settingsIn } from './sample.ts';

/** A text in which `a{300}` and `(ab){300}` are so many of them. */
export function repeated(text: string): string {
  return text.replace(
    /(?:\((.+?)\)|(.))\{(\d+)\}/gs,
    (_, several: string | undefined, one: string, count: string) =>
      (several ?? one).repeat(Number(count)),
  );
}

/** Sends the bytes that a text in JSON has, a character each, as {@link repeated} has them. */
function askBytes({ gateway }: Served, text: string): ReturnType<typeof askRaw> {
  const bytes = repeated(JSON.parse(text) as string);
  return askRaw(gateway.port, Buffer.from(bytes, 'latin1'));
}

/**
 * `RAW "GET /rest HTTP/1.1\r\n\r\n"` sends bytes. It is answered as the first request in them, with the statuses of all: `[Answers: 414 200]`.
 */
export const RAW: Verb = async (to, { text: bytes }) => {
  const { status, headers, text, rest } = await askBytes(to, bytes);
  const length = Number(headers['content-length'] ?? 0);
  const body = Buffer.from(text).subarray(0, length).toString();
  const statuses = [status, ...Array.from(rest.matchAll(/HTTP\/1\.1 (\d+)/g), ([, one]) => one)];
  return {
    status,
    headers: { ...headers, answers: statuses.join(' ') },
    text: body,
    body: body === '' ? undefined : (JSON.parse(body) as unknown),
  };
};

const SECURITY = [
  ...['cache-control', 'content-security-policy', 'cross-origin-opener-policy'],
  ...['cross-origin-resource-policy', 'origin-agent-cluster', 'referrer-policy', 'server'],
  ...['strict-transport-security', 'x-content-type-options', 'x-dns-prefetch-control'],
  ...['x-download-options', 'x-frame-options', 'x-permitted-cross-domain-policies', 'x-powered-by'],
  'x-xss-protection',
];

/** `HEADERS "GET /rest HTTP/1.1\r\n\r\n"` answers the status of the first request, and those of its headers that tell browsers what not to do. */
const HEADERS: Verb = async (to, { text }) => {
  const answer = await askBytes(to, text);
  const told = Object.entries(answer.headers).filter(([name]) => SECURITY.includes(name));
  const body = { status: String(answer.status), ...Object.fromEntries(told) };
  return { ...answer, status: 200, body };
};

function served(settings: object): Shape {
  const others = { mcp: { enabled: false }, explorer: { enabled: false } };
  return {
    ...{ ...sample, engines: ['pglite'], verbs: { RAW, HEADERS } },
    settings: settingsIn({ limits: { maxUrlBytes: 300 }, ...others, ...settings }),
  };
}

/** The sample as a gateway serves it that has names, and bounds of URLs and bodies. */
export const shape = served({
  server: { port: 0, hosts: ['erp.example.com', 'Gateway'], maxBodyBytes: 1024 },
});

/** The same for pages of two other sites. */
export const shared = served({
  cors: {
    origins: ['https://app.example.com', 'http://localhost:3000'],
    credentials: true,
    maxAgeSeconds: 60,
  },
});

/** The same for pages of all sites. */
export const open = served({ cors: { origins: ['*'] } });

export const uncompressed = served({ server: { port: 0, hosts: [], compression: false } });
