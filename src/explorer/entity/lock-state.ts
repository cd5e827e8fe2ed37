import { isObject, type Json } from '../rest/json.ts';

/** The lock of an entity, as this client sees it (docs/reference/locks.md). */
export type LockState =
  | { readonly kind: 'free' | 'own' | 'lost' | 'gone' | 'changed' }
  | { readonly kind: 'others'; readonly by: string };

/** Reads the answer to `$lock=status`, `true` or `false`. @param own the state that a success without details stands for */
export function lockState(answer: Json, own: 'own' | 'free'): LockState {
  const status = isObject(answer) ? answer['__STATUS'] : undefined;
  if (!isObject(status)) return { kind: own };
  if (status['success'] === true) {
    if (status['lost'] === true) return { kind: 'lost' };
    if ('own' in status) return { kind: status['own'] === true ? 'own' : 'free' };
    return { kind: own };
  }
  const code = Number(status['status']);
  if (code === 2) return { kind: 'changed' };
  if (code === 3) return { kind: 'others', by: holderName(status['lockInfo']) };
  return { kind: code === 5 ? 'gone' : 'lost' };
}

/** Who holds a lock: the program and its address; of a lock that another gateway or program took nothing is known. */
function holderName(info: Json | undefined): string {
  if (!isObject(info)) return 'another program';
  const [address, agent] = [info['IPAddr'], info['userAgent']];
  const program = typeof agent === 'string' && agent !== '' ? browserName(agent) : 'a session';
  return typeof address === 'string' && address !== ''
    ? `${program} at ${address}`
    : 'another program or gateway';
}

/** The name of a browser, of the many words of its user agent; other agents as they are. */
function browserName(agent: string): string {
  const browser = /(Edg|OPR|Firefox|HeadlessChrome|Chrome|Version)\/(\d+)/.exec(agent);
  if (!agent.startsWith('Mozilla/') || browser === null) return agent.slice(0, 60);
  const [, name = '', version = ''] = browser;
  return `${NAMES[name] ?? name} ${version}`;
}

const NAMES: Readonly<Record<string, string>> = {
  Edg: 'Edge',
  OPR: 'Opera',
  HeadlessChrome: 'Chrome',
  Version: 'Safari',
};
