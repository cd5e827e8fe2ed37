import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { stampSecretOf } from '../secrets/stamp-secret.ts';
import type { DatabaseSettings } from './database.ts';
import { certificates } from './proxy.ts';
import { checkedText, matching, reporting, seconds, type SettingProblem, text } from './fields.ts';

const stateSettings = z
  .strictObject({
    url: checkedText(urlProblem).describe(
      'The state store, Valkey or Redis 7: valkey://127.0.0.1:6379, valkeys:// with TLS; redis:// and rediss:// mean the same.',
    ),
    user: text.optional().describe('The user, if the url does not say it.'),
    password: text.optional().describe('The password, if the url does not say it.'),
    cluster: z
      .array(
        matching(/^(?:[\w.-]+|\[[\da-f:]+\]):\d{1,5}$/i, 'is not an address: expected host:port'),
      )
      .min(1)
      .optional()
      .describe('Addresses of more nodes, if the store is a cluster: [10.0.0.2:6379].'),
    prefix: matching(
      /^[\w.-]{1,64}$/,
      'is not a prefix: expected at most 64 letters, digits, and - . _',
    )
      .default('entitygate')
      .describe('What the keys in the store begin with; another one for each API that shares it.'),
    ca: text
      .optional()
      .describe(
        'The PEM file of the authorities that may have signed the store’s certificate. Left out, those that Node.js knows.',
      ),
    timeoutSeconds: seconds(60)
      .default(2)
      .describe('How long a request waits for the store; then error 9066.'),
  })
  .superRefine(reporting(connectionProblems));

export const stateSetting = stateSettings
  .optional()
  .describe('Where several gateways keep their state together. Left out, each keeps its own.');

export type StateSettings = z.output<typeof stateSettings>;

/** Reads the file of `state`: `ca` becomes the text of the certificates. @throws StartupError at `state.ca` */
export async function readStateFiles(
  state: StateSettings | undefined,
): Promise<StateSettings | undefined> {
  if (state?.ca === undefined) return state;
  return { ...state, ca: await certificates(state.ca, 'state.ca') };
}

/** The messages do not repeat the URL, which may hold a password. */
function urlProblem(url: string): string | null {
  const expected = 'expected valkey://user:password@host:6379, or valkeys:// with TLS';
  const isUrl = /^(?:valkey|redis)s?:\/\//i.test(url) && URL.canParse(url);
  if (!isUrl || new URL(url).hostname === '') return `is not the URL of a state store: ${expected}`;
  return /^\/?(?:\d{1,4})?$/.test(new URL(url).pathname)
    ? null
    : 'has a path that is not the number of a database: leave it out, or write one such as /1';
}

function* connectionProblems({ url, cluster, ca }: StateSettings): Generator<SettingProblem> {
  if (!URL.canParse(url)) return;
  const { protocol, pathname } = new URL(url);
  if (ca !== undefined && protocol !== 'valkeys:' && protocol !== 'rediss:') {
    yield { path: ['ca'], message: 'is for TLS: write valkeys:// in the url, or leave it out' };
  }
  if (cluster !== undefined && Number(pathname.slice(1)) !== 0) {
    yield {
      path: ['url'],
      message: 'names a database, and a cluster has only one: leave out its number',
    };
  }
}

/** Finds why gateways with these settings cannot keep state together. */
export function* stateProblems({
  state,
  database,
  stampSecret,
}: {
  readonly state?: StateSettings | undefined;
  readonly database: DatabaseSettings;
  readonly stampSecret?: string | undefined;
}): Generator<SettingProblem> {
  if (state === undefined) return;
  const path = ['state', 'url'];
  if (database.engine === 'pglite') {
    const message =
      'is for several gateways, and the embedded database serves one: use a database server, or leave state out';
    yield { path, message };
  } else if (stampSecretOf({ stampSecret, database }) === null) {
    const message =
      'needs a secret that all gateways share, and the database login has no password to derive it from: set stampSecret';
    yield { path, message };
  }
}

/** Finds why several processes cannot serve together. */
export function* workersProblems({
  server: { workers },
  database: { engine },
  state,
}: {
  readonly server: { readonly workers: number | 'auto' };
  readonly database: DatabaseSettings;
  readonly state?: StateSettings | undefined;
}): Generator<SettingProblem> {
  const isEmbedded = engine === 'pglite';
  const count = workers === 'auto' ? availableParallelism() : workers;
  if (count === 1 || (isEmbedded ? workers === 'auto' : state !== undefined)) return;
  const message = isEmbedded
    ? `the embedded database cannot be shared by ${count} processes: remove server.workers, or use PostgreSQL or SQL Server`
    : `${count} processes keep their state together: set state.url, or remove server.workers`;
  yield { path: ['server', 'workers'], message };
}
