import { isIP } from 'node:net';
import type { ProxySetting } from './proxy.ts';

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
            message: 'nobody is known where nobody is asked who they are: configure authentication',
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
