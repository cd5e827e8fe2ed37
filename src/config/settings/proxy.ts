import { isIP } from 'node:net';
import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import {
  checkedText,
  flag,
  matching,
  repeated,
  reporting,
  seconds,
  type SettingProblem,
  text,
} from './fields.ts';
import { StartupError } from '../../base/errors.ts';
import { MOST_PEM_BYTES, readText, unreadable } from '../document/text-file.ts';

/** Headers that control the transport of a message, and those that the gateway writes itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set(
  (
    'connection content-length cookie expect host keep-alive proxy-connection te trailer ' +
    'transfer-encoding upgrade x-forwarded-for x-forwarded-host x-forwarded-proto'
  ).split(' '),
);

const headerName = matching(
  /^[a-z][a-z\d-]*$/i,
  'is not a name of a header: expected letters, digits and -',
).refine((name) => !OWN_HEADERS.has(name.toLowerCase()), 'is a header that the gateway writes');

const proxyEntry = z
  .strictObject({
    prefix: checkedText(prefixProblem).describe(
      'The path that is forwarded, with all below it: /app, or / for what is left.',
    ),
    to: checkedText(targetProblem).describe(
      'The address that stands for the prefix: http://127.0.0.1:8081/app.',
    ),
    authentication: z
      .union([z.boolean(), z.array(text).min(1)])
      .default(false)
      .describe(
        'true forwards what known users ask for, and nothing else; a list of roles what users ask who have one of them.',
      ),
    webSocket: flag(true).describe(
      'Web sockets are let through; false has them answered as plain requests.',
    ),
    timeoutSeconds: seconds(86_400)
      .default(60)
      .describe(
        'How long the application may take to begin its answer, and between two pieces of it.',
      ),
    preserveHost: flag(false).describe(
      'Forward the client’s Host header instead of the application’s own.',
    ),
    ca: text
      .optional()
      .describe(
        'The PEM file of the authorities that may have signed the application’s certificate. Left out, those that Node.js knows.',
      ),
    verifyCertificate: flag(true).describe(
      'false accepts any certificate, so that anyone in between can read and change everything.',
    ),
    userHeader: headerName
      .default('X-Entitygate-User')
      .describe('The header that gives the application the user’s name.'),
    rolesHeader: headerName
      .default('X-Entitygate-Roles')
      .describe('The header that gives it the user’s roles, separated by commas.'),
    forwardCredentials: flag(false).describe(
      'Also forward the credentials that are meant for the gateway: cookie, keys and Authorization.',
    ),
    headers: z
      .record(headerName, matching(/^[\t\x20-\x7e\x80-\xff]*$/, 'is not a value of a header'))
      .default({})
      .describe('What the application is sent besides, whatever the client sends by that name.'),
  })
  .superRefine(reporting(headerProblems));

export const proxySetting = z
  .array(proxyEntry)
  .superRefine(reporting(repeatedPrefixes))
  .default([])
  .describe(
    'Prefixes that are forwarded to web applications that stand beside the database; docs/how-to/proxy.md explains them.',
  );

type ProxySetting = z.output<typeof proxySetting>[number];

function* headerProblems(entry: ProxySetting): Generator<SettingProblem> {
  const [user, roles] = [entry.userHeader.toLowerCase(), entry.rolesHeader.toLowerCase()];
  if (user === roles) {
    const message = 'is the header of the user’s name, too: give each its own';
    yield { path: ['rolesHeader'], message };
  }
  for (const name of Object.keys(entry.headers)) {
    if (![user, roles].includes(name.toLowerCase())) continue;
    const message = 'gives the user’s name: it cannot have a fixed value';
    yield { path: ['headers', name], message };
  }
}

function repeatedPrefixes(entries: readonly { prefix: string }[]): SettingProblem[] {
  return repeated(entries.map(({ prefix }) => prefix)).map((index) => ({
    path: [index, 'prefix'],
    message: 'is the prefix of another entry, too',
  }));
}

/** Only paths that router and browsers take unchanged: without escapes and dot segments. */
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

/** The settings that an entry of `proxy` has to agree with. */
interface SettingsBeside {
  readonly proxy: readonly ProxySetting[];
  readonly server: { readonly host: string; readonly port: number; readonly hosts: string[] };
  readonly authentication?: object | undefined;
}

/** Finds entries of `proxy` that contradict the rest of the configuration. */
export function* proxyProblems(settings: SettingsBeside): Generator<SettingProblem> {
  const { proxy, server, authentication } = settings;
  for (const [index, entry] of proxy.entries()) {
    if (isItself(entry.to, server)) {
      const message =
        'is the gateway itself: it would forward to itself for ever. Name the application’s own address';
      yield { path: ['proxy', index, 'to'], message };
    }
    if (entry.authentication !== false && authentication === undefined) {
      const message = 'without authentication there are no users: configure authentication';
      yield { path: ['proxy', index, 'authentication'], message };
    }
  }
}

/** Loops through other host names or proxies are detected when a request takes them. */
function isItself(to: string, { host, port, hosts }: SettingsBeside['server']): boolean {
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

/** A host in lower case, without the brackets of IPv6. */
export function plainHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

function isLocal(host: string): boolean {
  if (isIP(host) === 0) return host === 'localhost' || host.endsWith('.localhost');
  return host.startsWith('127.') || ['0.0.0.0', '::', '::1'].includes(host);
}

/** Reads the files of `proxy`: `ca` becomes the text of the certificates. @throws StartupError with the setting that is wrong, as `proxy.0.ca` */
export async function readProxyFiles(
  proxy: readonly ProxySetting[],
): Promise<readonly ProxySetting[]> {
  return Promise.all(
    proxy.map(async ({ ca, ...entry }, index) =>
      ca === undefined ? entry : { ...entry, ca: await certificates(ca, `proxy.${index}.ca`) },
    ),
  );
}

/** Reads certificates in PEM form. @throws StartupError at a setting */
export async function certificates(path: string, where: string): Promise<string> {
  let text: string;
  try {
    text = await readText(path, MOST_PEM_BYTES);
  } catch (error) {
    throw StartupError.at(where, `${path}: ${unreadable(error, 'file')}`);
  }
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  try {
    if (found.map((pem) => new X509Certificate(pem)).length > 0) return text;
  } catch {
    // Reported below.
  }
  const message = `${path} holds no certificates in PEM form, "-----BEGIN CERTIFICATE-----" and what follows`;
  throw StartupError.at(where, message);
}
