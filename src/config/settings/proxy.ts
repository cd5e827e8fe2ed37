import { isIP } from 'node:net';
import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { StartupError } from '../../base/errors.ts';
import { MOST_PEM_BYTES, readText, unreadable } from '../document/text-file.ts';

/** The token of RFC 9110, 5.1, without what no header of an application is called by. */
const HEADER_NAME = /^[a-z][a-z\d-]*$/i;

/** Headers that say how a message is carried, or where to, and those that the gateway writes itself: none is anybody's to choose. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

const headerName = z
  .string()
  .regex(HEADER_NAME, 'is not a name of a header: expected letters, digits and -')
  .refine((name) => !OWN_HEADERS.has(name.toLowerCase()), 'is a header that the gateway writes');

/** One prefix, and where what is asked for below it goes. */
const proxyEntry = z
  .strictObject({
    prefix: z
      .string()
      .superRefine((prefix, context) => {
        const message = prefixProblem(prefix);
        if (message !== null) context.addIssue({ code: 'custom', message });
      })
      .describe('The path that is forwarded, with all below it: /app, or / for what is left.'),
    to: z
      .string()
      .superRefine((url, context) => {
        const message = targetProblem(url);
        if (message !== null) context.addIssue({ code: 'custom', message });
      })
      .describe('The address that stands for the prefix: http://127.0.0.1:8081/app.'),
    authentication: z
      .union([z.boolean(), z.array(z.string().min(1)).min(1)])
      .default(false)
      .describe(
        'true forwards what known users ask for, and nothing else; a list of roles what users ask who have one of them.',
      ),
    webSocket: z
      .boolean()
      .default(true)
      .describe('Web sockets are let through; false has them answered as plain requests.'),
    timeoutSeconds: z
      .number()
      .positive()
      .max(86_400)
      .default(60)
      .describe(
        'How long the application may take to begin its answer, and between two pieces of it.',
      ),
    preserveHost: z
      .boolean()
      .default(false)
      .describe('Forward the client’s Host header instead of the application’s own.'),
    ca: z
      .string()
      .min(1)
      .optional()
      .describe(
        'The PEM file of the authorities that may have signed the application’s certificate. Left out, those that Node.js knows.',
      ),
    verifyCertificate: z
      .boolean()
      .default(true)
      .describe(
        'false accepts any certificate, so that anyone in between can read and change everything.',
      ),
    userHeader: headerName
      .default('X-Entitygate-User')
      .describe('The header that gives the application the user’s name.'),
    rolesHeader: headerName
      .default('X-Entitygate-Roles')
      .describe('The header that gives it the user’s roles, separated by commas.'),
    forwardCredentials: z
      .boolean()
      .default(false)
      .describe(
        'Also forward the credentials that are meant for the gateway: cookie, keys and Authorization.',
      ),
    headers: z
      .record(
        headerName,
        z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'is not a value of a header'),
      )
      .default({})
      .describe('What the application is sent besides, whatever the client sends by that name.'),
  })
  .superRefine(({ userHeader, rolesHeader, headers }, context) => {
    if (userHeader.toLowerCase() === rolesHeader.toLowerCase()) {
      const message = 'is the header of the user’s name, too: give each its own';
      context.addIssue({ code: 'custom', path: ['rolesHeader'], message });
    }
    const told = [userHeader.toLowerCase(), rolesHeader.toLowerCase()];
    for (const name of Object.keys(headers)) {
      if (!told.includes(name.toLowerCase())) continue;
      const message = 'gives the user’s name: it cannot have a fixed value';
      context.addIssue({ code: 'custom', path: ['headers', name], message });
    }
  });

/** The setting `proxy`. */
export const proxySetting = z
  .array(proxyEntry)
  .superRefine((entries, context) => {
    for (const [index, { prefix }] of entries.entries()) {
      const isSame = (other: { readonly prefix: string }): boolean =>
        other.prefix.toLowerCase() === prefix.toLowerCase();
      if (!entries.slice(0, index).some(isSame)) continue;
      const message = 'is the prefix of another entry, too';
      context.addIssue({ code: 'custom', path: [index, 'prefix'], message });
    }
  })
  .default([])
  .describe(
    'Prefixes that are forwarded to web applications that stand beside the database; docs/proxy.md explains them.',
  );

/** An entry of `proxy`, with all defaults. */
type ProxySetting = z.output<typeof proxySetting>[number];

/** A path that the router and browsers take as it is: nothing to be decoded, and no way up. */
function prefixProblem(prefix: string): string | null {
  if (!/^\/(?:[\w.~-]+(?:\/[\w.~-]+)*)?$/.test(prefix) || /\/\.\.?(?:\/|$)/.test(prefix)) {
    return 'is not a prefix: expected / alone, or a path such as /app or /erp/app of letters, digits and - . _ ~, without / at its end';
  }
  const [first = ''] = prefix.slice(1).split('/');
  if (first.toLowerCase() === 'rest') return 'overlaps /rest, which is the API’s';
  return first.toLowerCase() === 'health' ? 'overlaps /health, where the probes are' : null;
}

function targetProblem(text: string): string | null {
  const expected =
    'is not an address of a web application: expected http:// or https://, its host, and perhaps a port and a path';
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return expected;
  const { username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '') {
    return 'holds a login, which would end up in messages: have it sent by headers: { Authorization: ${ENV:…} }';
  }
  if (search !== '' || hash !== '' || /[?#\\]/.test(text)) return expected;
  return null;
}

/** What of the other settings the entries of `proxy` have to go with. */
export interface ProxySurroundings {
  readonly proxy: readonly ProxySetting[];
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly hosts: readonly string[];
  };
  readonly authentication?: object | undefined;
}

/** What is wrong with one setting of an entry, beside others. */
export interface ProxyProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What keeps entries of `proxy` from being served as the rest of the configuration is. */
export function proxyProblems({
  proxy,
  server,
  authentication,
}: ProxySurroundings): readonly ProxyProblem[] {
  return proxy.flatMap(({ to, authentication: asked }, index): ProxyProblem[] => [
    ...(isItself(to, server)
      ? [
          {
            path: ['proxy', index, 'to'],
            message:
              'is the gateway itself: it would forward to itself for ever. Name the application’s own address',
          },
        ]
      : []),
    ...(asked !== false && authentication === undefined
      ? [
          {
            path: ['proxy', index, 'authentication'],
            message: 'without authentication there are no users: configure authentication',
          },
        ]
      : []),
  ]);
}

/** Other ways back to itself, by names and other proxies, are seen when a request takes them. */
function isItself(to: string, { host, port, hosts }: ProxySurroundings['server']): boolean {
  if (!URL.canParse(to) || port === 0) return false;
  const url = new URL(to);
  const target = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (target !== port) return false;
  const name = plainHost(url.hostname);
  const listening = plainHost(host);
  if (name === listening || hosts.some((own) => plainHost(own) === name)) return true;
  const isEverywhere = listening === '0.0.0.0' || listening === '::';
  return isLocal(name) && (isEverywhere || isLocal(listening));
}

function plainHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

function isLocal(host: string): boolean {
  if (isIP(host) === 0) return host === 'localhost' || host.endsWith('.localhost');
  return host.startsWith('127.') || ['0.0.0.0', '::', '::1'].includes(host);
}

/**
 * The entries of `proxy` with what their files hold: `ca` is the text of the certificates.
 * @throws StartupError with the setting that is wrong, as `proxy.0.ca`
 */
export async function readProxyFiles(
  proxy: readonly ProxySetting[],
): Promise<readonly ProxySetting[]> {
  return Promise.all(
    proxy.map(async ({ ca, ...entry }, index) =>
      ca === undefined ? entry : { ...entry, ca: await certificates(ca, `proxy.${index}.ca`) },
    ),
  );
}

async function certificates(path: string, where: string): Promise<string> {
  let text: string;
  try {
    text = await readText(path, MOST_PEM_BYTES);
  } catch (error) {
    const message = `${path}: ${unreadable(error, 'file')}`;
    throw new StartupError([{ where, message }]);
  }
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  try {
    if (found.map((pem) => new X509Certificate(pem)).length > 0) return text;
  } catch {
    // Said below, too.
  }
  const message = `${path} holds no certificates in PEM form, "-----BEGIN CERTIFICATE-----" and what follows`;
  throw new StartupError([{ where, message }]);
}
