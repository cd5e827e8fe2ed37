import { createPublicKey, hash, X509Certificate } from 'node:crypto';
import {
  type OAuthClientProvider,
  UnauthorizedError,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type {
  OAuthClientInformationMixed,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { decodeProtectedHeader, exportJWK } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../src/app.ts';
import { type Config, configSchema } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { SIGN_IN_PATH } from '../../src/config/settings/oidc.ts';
import type { Database } from '../../src/database/database.ts';
import { signer } from '../access/auth/identity-provider.ts';
import { testFolder, type TestFolder } from '../config/files.ts';
import { makeCertificate } from '../fixtures/certificates.ts';
import { rows } from '../rows.ts';
import { type Gateway, startGateway } from '../targets/gateway.ts';
import { sharedSettings } from '../targets/instances.ts';
import { postgresTarget } from '../targets/postgres.ts';
import { describeWith } from '../targets/missing.ts';
import { noStateStore, openStateStore } from '../targets/state-store.ts';
import { errors } from './shapes/engines.ts';
import { Browser, type Page } from './sign-in/browser.ts';
import {
  gatewayClient,
  oidcSettings,
  type OpenIdProvider,
  startOpenIdProvider,
  TOKEN_LIFE,
} from './sign-in/provider.ts';

const IN_MEMORY = { engine: 'pglite', statementTimeoutSeconds: 30, directory: 'memory:' } as const;

const READER = { reader: { dataclasses: { '*': { read: true } } } };

/** The database that all gateways share. */
let folder: TestFolder;
let database: Database;
beforeAll(async () => {
  folder = await testFolder();
  await folder.write('mappings/company.yaml', 'dataclass: Company\ntable: public.company\n');
  const seed = await folder.write('seed.sql', 'CREATE TABLE company (id int PRIMARY KEY);');
  const config = await loadConfig('config.yaml', {});
  database = await openDatabase({ ...config, database: { ...IN_MEMORY, seed } });
});
afterAll(async () => {
  await database.close();
  await folder.remove();
});

/** Starts a gateway in front of it. */
const start = (settings: Partial<Config>): Promise<Gateway> =>
  startGateway(IN_MEMORY, { mappings: `${folder.path}/mappings`, ...settings }, database);

interface Opened {
  readonly provider: OpenIdProvider;
  readonly gateway: Gateway;
  readonly address: string;
}

/** Starts a provider, and a gateway where its users sign in. */
async function open(
  oidc: object = {},
  server: object = {},
  sessions: object = {},
): Promise<Opened> {
  const provider = await startOpenIdProvider();
  provider.users.set('ada', { name: 'Ada Lovelace', roles: ['reader', 'admin'], region: 'north' });
  const config = configSchema.parse({
    authentication: { oidc: { ...oidcSettings(provider.issuer), ...oidc } },
    roles: READER,
    server,
    sessions,
  });
  const { authentication, roles } = config;
  const settings = { authentication, roles, server: config.server, sessions: config.sessions };
  const gateway = await start(settings);
  const address = `http://127.0.0.1:${gateway.port}`;
  provider.register([gatewayClient(address)]);
  return { provider, gateway, address };
}

async function close({ provider, gateway }: Opened): Promise<void> {
  await gateway.close();
  await provider.close();
}

let opened: Opened;
beforeAll(async () => {
  opened = await open();
  opened.provider.users.set('bob', { name: 'Bob', roles: ['reader'] });
});
afterAll(() => close(opened));
afterEach(() => {
  opened.provider.mood = 'well';
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const at = (path: string): string => `${opened.address}${path}`;

const isCallback = (url: string): boolean => url.startsWith(at('/oidc/callback'));

/** What a person reads on a page that says why there is no session. */
function problemOn({ status, text }: Page): unknown {
  return [status, /<p>(.*?)<\/p>/.exec(text)?.[1]];
}

/** Who the gateway takes a browser for. */
async function userOf(browser: Browser): Promise<unknown> {
  const { text } = await browser.send(at('/rest/$directory/currentUser'));
  return (JSON.parse(text) as { result: unknown }).result;
}

const statusOf = async (browser: Browser): Promise<number> =>
  (await browser.send(at('/rest/Company?$top=0'))).status;

const ADA = { userName: 'ada', fullName: 'Ada Lovelace', ID: 'ada', roles: ['reader'] };

async function signedIn(user = 'ada'): Promise<Browser> {
  const browser = new Browser();
  await browser.signIn(at(SIGN_IN_PATH), user, (url) => url === at('/explore/'));
  return browser;
}

/** Moves the clocks of gateway and provider on. */
function after(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
}

test('a user signs in, is who the provider says, with its roles, and signs out of both', async () => {
  const browser = new Browser();
  const to = encodeURIComponent('/explore/?a=b#/Company/1');
  const page = await browser.signIn(at(`${SIGN_IN_PATH}?return_to=${to}`), 'ada', (url) =>
    url.startsWith(at('/explore/')),
  );
  expect(page.url).toBe(at('/explore/?a=b#/Company/1'));
  expect(await userOf(browser)).toEqual(ADA);
  expect(await statusOf(browser)).toBe(200);
  const own = [...browser.cookies].filter(([name]) => name.startsWith('ENTITYGATE'));
  expect(own).toEqual([
    [
      'ENTITYGATE_SID',
      {
        value: expect.any(String) as string,
        path: '/',
        attributes: 'Path=/; HttpOnly; SameSite=Lax',
      },
    ],
  ]);
  const { text: info } = await browser.send(at('/rest/$info'));
  expect(info).not.toContain(browser.cookies.get('ENTITYGATE_SID')?.value);
  // Neither page nor address has what the provider gave the gateway.
  expect(browser.visited.join('\n')).not.toMatch(/token|eyJ/);

  const out = await browser.send(at('/rest/$directory/logout'), { method: 'POST' });
  const { result, signOut } = JSON.parse(out.text) as { result: boolean; signOut: string };
  expect([result, new URL(signOut).origin]).toEqual([true, opened.provider.issuer]);
  expect(new URL(signOut).searchParams.get('post_logout_redirect_uri')).toBe(at('/explore/'));
  expect([await userOf(browser), await statusOf(browser)]).toEqual([null, 401]);
});

test('who is not signed in learns where', async () => {
  const browser = new Browser();
  const { text } = await browser.send(at('/rest/$directory/currentUser'));
  expect(JSON.parse(text)).toEqual({ result: null, logins: ['oidc'], signIn: 'Acme' });
  const refused = await browser.send(at('/rest/Company'));
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    'Cookie realm="Legacy ERP"',
  ]);
  const message = 'Authentication required: sign in with a browser at /oidc/sign-in.';
  expect(JSON.parse(refused.text)).toEqual(errors([1822, message]));
});

test('a session that was there before ends: whoever planted it has nothing of it', async () => {
  const [browser, attacker] = [await signedIn(), new Browser()];
  const planted = browser.cookies.get('ENTITYGATE_SID');
  await browser.signIn(at(SIGN_IN_PATH), 'ada', (url) => url === at('/explore/'));
  expect(browser.cookies.get('ENTITYGATE_SID')).not.toEqual(planted);
  if (planted !== undefined) attacker.cookies.set('ENTITYGATE_SID', planted);
  expect([await statusOf(attacker), await statusOf(browser)]).toEqual([401, 200]);
});

test('whoever has signed in, and comes back to the same address, goes on', async () => {
  const browser = new Browser();
  const url = await ledBack(browser);
  // What else an answer holds is ignored.
  for (const name of ['token', 'id_token', 'response', 'session_state']) {
    url.searchParams.set(name, 'x');
  }
  expect((await browser.send(url.href)).status).toBe(302);
  const { status, headers } = await browser.send(url.href);
  expect([status, headers.get('location')]).toEqual([302, at('/explore/')]);
});

test('an answer that fails keeps nobody else from signing in', async () => {
  const [browser, { provider }] = [new Browser(), opened];
  const { href } = await ledBack(browser);
  provider.mood = (_request, response) => response.writeHead(500).end();
  const message = 'The identity provider does not answer at the moment. Try again later.';
  expect(problemOn(await browser.send(href))).toEqual([503, message]);
  provider.mood = 'well';
  expect(await userOf(await signedIn())).toEqual(ADA);
});

test('who asks for more than the gateway’s secret allows is told to tell its operator', async () => {
  const other = await open({ clientSecret: 'another' });
  onTestFinished(() => close(other));
  const message = 'The identity provider refuses the gateway. Tell its operator.';
  const page = await new Browser().signIn(`${other.address}${SIGN_IN_PATH}`, 'ada');
  expect(problemOn(page)).toEqual([503, message]);
});

test('cookies with odd names keep nobody from signing in', async () => {
  const browser = new Browser();
  const cookie = { value: 'x', path: '/', attributes: '' };
  for (const name of 'abcde') browser.cookies.set(`ENTITYGATE_SID_SIGNIN_ ${name}`, cookie);
  expect((await browser.send(at(SIGN_IN_PATH))).status).toBe(302);
  const answered = at('/oidc/callback?state=%20a&code=b');
  expect(problemOn(await browser.send(answered))).toEqual([401, NOT_BEGUN]);
});

test.each([
  `/explore/#/${'a'.repeat(2000)}`,
  '//evil.example/',
  '/\\evil.example/',
  'javascript:alert(1)',
  '/oidc/sign-in?return_to=/explore/',
])('%j is no address to go on at', async (wanted) => {
  const to = encodeURIComponent(wanted);
  const page = await new Browser().signIn(
    at(`${SIGN_IN_PATH}?return_to=${to}`),
    'ada',
    (url) => !url.includes('/oidc/') && url.startsWith(opened.address),
  );
  expect(page.url).toBe(at('/explore/'));
});

const NOT_BEGUN = 'This browser has begun no such sign-in, or has ended it already.';
const DISTRUSTED = 'The identity provider’s answer cannot be trusted.';
const NO_LONGER = 'The identity provider no longer accepts this sign-in.';
const LATE = 'The sign-in has taken too long, or the gateway has been restarted meanwhile.';

/** Signs in up to where the provider leads back, and returns that address, which another browser could be led to. */
async function ledBack(browser: Browser): Promise<URL> {
  return new URL((await browser.signIn(at(SIGN_IN_PATH), 'ada', isCallback)).url);
}

describe('a sign-in is refused', () => {
  test('in another browser than the one that has begun it', async () => {
    const url = await ledBack(new Browser());
    expect(problemOn(await new Browser().send(url.href))).toEqual([401, NOT_BEGUN]);
    const victim = await signedIn('bob');
    const session = victim.cookies.get('ENTITYGATE_SID');
    expect((await victim.send(url.href)).headers.get('location')).toBe(at('/explore/'));
    expect(victim.cookies.get('ENTITYGATE_SID')).toEqual(session);
  });

  test('the second time', async () => {
    const browser = new Browser();
    const url = await ledBack(browser);
    const begun = new Map(browser.cookies);
    expect((await browser.send(url.href)).status).toBe(302);
    browser.cookies.delete('ENTITYGATE_SID');
    expect(problemOn(await browser.send(url.href))).toEqual([401, NOT_BEGUN]);
    for (const [name, cookie] of begun) browser.cookies.set(name, cookie);
    expect(problemOn(await browser.send(url.href))).toEqual([401, NO_LONGER]);
  });

  test('with the code of another one', async () => {
    const [browser, other] = [new Browser(), new Browser()];
    const [url, stolen] = [await ledBack(browser), await ledBack(other)];
    url.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    expect(problemOn(await browser.send(url.href))).toEqual([401, NO_LONGER]);
  });

  test.each(rows`
    whose answer is of another provider | iss | https://evil.example | ${DISTRUSTED}
    whose answer says no provider | iss | | ${DISTRUSTED}
    without a code | code | | ${DISTRUSTED}
    that the user has cancelled | error | access_denied
      | The identity provider did not sign you in: the sign-in was cancelled, or is not allowed.
    with an error of the provider | error | <b>x | The identity provider did not sign you in: &#60;b&#62;x.
  `)('%s', async (_, name = '', value = '', message = '') => {
    const browser = new Browser();
    const url = await ledBack(browser);
    if (value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
    if (name === 'error') url.searchParams.delete('code');
    const page = await browser.send(url.href);
    expect(problemOn(page)).toEqual([401, message]);
    const again = `sign-in?return_to=${encodeURIComponent(at('/explore/'))}`;
    expect(page.text).toContain(`href="${again}"`);
  });

  test('whose beginning has been changed', async () => {
    const browser = new Browser();
    const url = await ledBack(browser);
    for (const [name, cookie] of browser.cookies) {
      const value = `${cookie.value.slice(0, 60)}AAAA${cookie.value.slice(64)}`;
      if (name.includes('SIGNIN')) browser.cookies.set(name, { ...cookie, value });
    }
    expect(problemOn(await browser.send(url.href))).toEqual([401, LATE]);
  });

  test('that has taken too long', async () => {
    const browser = new Browser();
    const url = await ledBack(browser);
    after(16 * 60);
    expect(problemOn(await browser.send(url.href))).toEqual([401, LATE]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['for another client', { aud: 'another' }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['of another sign-in', { nonce: 'another' }],
    ['of another key', {}],
  ])('with an ID token %s', async (title, changed) => {
    const browser = new Browser();
    const begun = await browser.send(at(SIGN_IN_PATH));
    const asked = new URL(begun.headers.get('location') ?? '').searchParams;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ iss: opened.provider.issuer, aud: 'gateway', sub: 'ada', nonce: asked.get('nonce') },
      ...{ iat: now, exp: now + 60 },
      ...changed,
    };
    const by = title === 'of another key' ? await signer('first', 'RS256') : opened.provider;
    const id_token = await by.sign(claims);
    opened.provider.mood = (_request, response) => {
      const tokens = { access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token };
      const headers = { 'content-type': 'application/json' };
      response.writeHead(200, headers).end(JSON.stringify(tokens));
    };
    const state = asked.get('state') ?? '';
    const query = new URLSearchParams({ code: 'c', state, iss: opened.provider.issuer });
    const page = await browser.send(at(`/oidc/callback?${query.toString()}`));
    expect(problemOn(page)).toEqual([401, DISTRUSTED]);
    expect(await userOf(browser)).toBe(null);
  });
});

/** The number of requests for tokens so far. */
const tokensAsked = ({ requests }: OpenIdProvider): number =>
  requests.filter((request) => request === 'POST /token').length;

describe('a grant is renewed', () => {
  test('once, however many requests come at once, with what the provider says then', async () => {
    const { provider } = opened;
    const browser = await signedIn();
    const before = tokensAsked(provider);
    provider.users.set('ada', { name: 'Ada King', roles: [] });
    expect([await userOf(browser), tokensAsked(provider) - before]).toEqual([ADA, 0]);
    after(TOKEN_LIFE + 1);
    const statuses = await Promise.all(Array.from({ length: 100 }, () => statusOf(browser)));
    expect([new Set(statuses), tokensAsked(provider) - before]).toEqual([new Set([404]), 1]);
    expect(await userOf(browser)).toEqual({ ...ADA, fullName: 'Ada King', roles: [] });
    provider.users.set('ada', { name: 'Ada Lovelace', roles: ['reader'] });
    after(TOKEN_LIFE + 1);
    expect([await statusOf(browser), await userOf(browser)]).toEqual([200, ADA]);
  });

  test('not for a user whom the provider no longer knows', async () => {
    opened.provider.users.set('eve', { name: 'Eve', roles: ['reader'] });
    const browser = await signedIn('eve');
    opened.provider.users.delete('eve');
    expect(await statusOf(browser)).toBe(200);
    after(TOKEN_LIFE + 1);
    const { status, text } = await browser.send(at('/rest/Company?$top=0'));
    expect([status, text]).toEqual([401, expect.stringContaining('The session has ended.')]);
  });
});

test('while the provider is away, sessions last as long as they were granted, and nobody signs in', async () => {
  const away = await open();
  const { provider, address } = away;
  onTestFinished(() => close(away));
  const [browser, later] = [new Browser(), new Browser()];
  const read = async (): Promise<number> =>
    (await browser.send(`${address}/rest/Company?$top=0`)).status;
  const begin = async (): Promise<unknown> =>
    problemOn(await later.send(`${address}${SIGN_IN_PATH}`));
  provider.mood = 'away';
  const message = 'The identity provider does not answer at the moment. Try again later.';
  expect(await begin()).toEqual([503, message]);
  provider.mood = 'well';
  // It is not asked again at once.
  expect(await begin()).toEqual([503, message]);
  const now = performance.now.bind(performance);
  let passed = 11_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  await browser.signIn(`${address}${SIGN_IN_PATH}`, 'ada', (url) => url === `${address}/explore/`);
  expect(await read()).toBe(200);

  provider.mood = 'away';
  after(TOKEN_LIFE - 10);
  expect(await read()).toBe(200);
  after(11);
  expect(await read()).toBe(503);
  provider.mood = 'well';
  passed *= 2;
  expect(await read()).toBe(200);

  // Whoever leaves is not held up by that.
  after(TOKEN_LIFE + 1);
  provider.mood = 'away';
  expect(await read()).toBe(503);
  const out = await browser.send(`${address}/rest/$directory/logout`, { method: 'POST' });
  const to = expect.stringMatching(`^${provider.issuer}/session/end`) as string;
  expect(JSON.parse(out.text)).toEqual({ result: true, signOut: to });
  provider.mood = 'well';
  expect([browser.cookies.has('ENTITYGATE_SID'), await read()]).toEqual([false, 401]);
});

/** Tells a gateway of a logout, as the provider does. @returns the status of its answer */
async function tellLogout(
  address: string,
  { issuer, sign }: OpenIdProvider,
  claims: object,
): Promise<number> {
  const iat = Math.floor(Date.now() / 1000);
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const own = { iss: issuer, aud: 'gateway', iat, exp: iat + 120, jti: 'a', events };
  const body = new URLSearchParams({ logout_token: await sign({ ...own, ...claims }) });
  return (await fetch(`${address}/oidc/backchannel-logout`, { method: 'POST', body })).status;
}

describe('the provider tells who has signed out', () => {
  const told = (claims: object): Promise<number> =>
    tellLogout(opened.address, opened.provider, claims);

  test('of one session: the provider itself', async () => {
    const [browser, other] = [await signedIn(), await signedIn()];
    const page = await browser.visit(`${opened.provider.issuer}/session/end?client_id=gateway`);
    const [, action = ''] = /action="([^"]*)"/.exec(page.text) ?? [];
    const [, secret = ''] = /name="xsrf" value="([^"]*)"/.exec(page.text) ?? [];
    const body = new URLSearchParams({ xsrf: secret, logout: 'yes' });
    await browser.send(action, { method: 'POST', body });
    await expect.poll(() => statusOf(browser)).toBe(401);
    expect(await statusOf(other)).toBe(200);
  });

  test('of all sessions of a user', async () => {
    const [browser, other, bob] = [await signedIn(), await signedIn(), await signedIn('bob')];
    expect(await told({ sub: 'ada' })).toBe(200);
    const statuses = [await statusOf(browser), await statusOf(other), await statusOf(bob)];
    expect(statuses).toEqual([401, 401, 200]);
  });

  test.each<[string, object]>([
    ['for another client', { aud: 'another' }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['of long ago', { iat: 1, exp: 4_000_000_000 }],
    ['without an id', { jti: undefined }],
    ['of another event', { events: {} }],
    ['that is an ID token', { nonce: 'a' }],
    ['without an end', { exp: undefined }],
    ['of a session without a name', { sid: 5 }],
    ['of nobody', { sub: undefined }],
  ])('but not by a token %s', async (_, claims) => {
    const browser = await signedIn();
    expect(await told({ sub: 'ada', ...claims })).toBe(400);
    expect(await statusOf(browser)).toBe(200);
  });

  test('and not by anything else', async () => {
    const bodies = [
      new URLSearchParams({ logout_token: 'a.b.c' }),
      new URLSearchParams('logout_token=a&logout_token=b'),
      new URLSearchParams(),
      '{}',
    ];
    const answers = bodies.map((body) =>
      fetch(at('/oidc/backchannel-logout'), { method: 'POST', body }),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 400, 400, 415]);
  });
});

describe('an address where a session would not be safe', () => {
  test.each([
    [
      'erp.example.com',
      {},
      400,
      'Sign in by https: otherwise others in the network could take over the session.',
    ],
    [
      'evil.example',
      { hosts: ['erp.example.com'] },
      421,
      'The host &#34;evil.example&#34; is not allowed: the gateway accepts localhost, IP addresses, and names that its operator has allowed.',
    ],
  ])('is refused: %s', async (host, server, status, message) => {
    const other = await open({}, server);
    onTestFinished(() => close(other));
    const { status: got, text } = await other.gateway.get(SIGN_IN_PATH, {
      headers: { host, accept: 'text/html' },
    });
    expect(problemOn({ status: got, text } as Page)).toEqual([status, message]);
  });

  test('is refused: one that is none', async () => {
    const { status, body } = await opened.gateway.get(SIGN_IN_PATH, { headers: { host: '%' } });
    expect([status, body]).toEqual([
      400,
      errors([9010, 'The Host header is missing, or is not a host.']),
    ]);
  });

  test.each([
    [SIGN_IN_PATH, 'HEAD', 'GET, OPTIONS'],
    ['/oidc/backchannel-logout', 'GET', 'POST, OPTIONS'],
  ])('%s knows its verbs', async (path, refused, allowed) => {
    for (const [method, status] of [
      ['OPTIONS', 204],
      [refused, 405],
    ] as const) {
      const answer = await opened.gateway.get(path, { method });
      expect([answer.status, answer.headers['allow']]).toEqual([status, allowed]);
    }
  });

  test('behind a proxy, the public one counts, with its path', async () => {
    const publicUrl = 'https://Intranet.example:443/erp/';
    const proxied = await open({}, { publicUrl });
    onTestFinished(() => close(proxied));
    const { headers } = await proxied.gateway.get(`${SIGN_IN_PATH}?return_to=/erp/explore/%23x`);
    const { searchParams } = new URL(headers['location'] ?? '');
    expect(searchParams.get('redirect_uri')).toBe('https://intranet.example/erp/oidc/callback');
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^ENTITYGATE_SID_SIGNIN_[\w-]{16}=[\w.-]+; Max-Age=900; Path=\/erp\/oidc\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    const told = JSON.stringify((await proxied.gateway.get('/rest/Company')).body);
    expect(told).toContain('sign in with a browser at https://intranet.example/erp/oidc/sign-in.');
  });

  test('a cookie for one host alone is kept for all its paths', async () => {
    const cookie = '__Host-SID';
    const other = await open({}, { publicUrl: 'https://erp.example/api' }, { cookie });
    onTestFinished(() => close(other));
    const { headers } = await other.gateway.get(SIGN_IN_PATH);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-SID_SIGNIN_.*; Max-Age=900; Path=\/; HttpOnly; Secure; /),
    ]);
  });
});

test('a gateway may prove who it is by a key of its own, and ask for more', async () => {
  const { cert, key } = await makeCertificate('gateway', [-1, 30], 'rsa');
  const settings = {
    clientSecret: undefined,
    privateKey: key + cert,
    scopes: ['openid', 'profile', 'offline_access'],
    parameters: { prompt: 'consent' },
    nameClaim: 'name',
  };
  const other = await open(settings);
  onTestFinished(() => close(other));
  const { provider, address } = other;
  provider.register([
    {
      ...gatewayClient(address),
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'PS256',
      jwks: { keys: [await exportJWK(createPublicKey(key))] },
    },
  ]);
  const browser = new Browser();
  await browser.signIn(`${address}${SIGN_IN_PATH}`, 'ada', (url) => url === `${address}/explore/`);
  const { text } = await browser.send(`${address}/rest/$directory/currentUser`);
  expect(JSON.parse(text)).toEqual({ result: { ...ADA, userName: 'Ada Lovelace' } });

  let sent = '';
  provider.mood = (request, response) => {
    request.on('data', (part: Buffer) => (sent += part.toString()));
    request.on('end', () => response.writeHead(500).end());
  };
  await browser.signIn(`${address}${SIGN_IN_PATH}`, 'ada');
  const assertion = new URLSearchParams(sent).get('client_assertion') ?? '';
  const thumbprint = hash('sha256', new X509Certificate(cert).raw, 'base64url');
  expect(decodeProtectedHeader(assertion)).toEqual({ alg: 'PS256', 'x5t#S256': thumbprint });
});

test('of more than five sign-ins of a browser, the oldest is forgotten', async () => {
  const browser = new Browser();
  const tabs: string[] = [];
  for (let tab = 0; tab < 7; tab++) {
    const { headers } = await browser.send(at(SIGN_IN_PATH));
    const { searchParams } = new URL(headers.get('location') ?? '');
    tabs.push(searchParams.get('state')?.slice(0, 16) ?? '');
  }
  const kept = [...browser.cookies.keys()].filter((name) => name.includes('SIGNIN'));
  expect(kept).toEqual(tabs.slice(2).map((state) => `ENTITYGATE_SID_SIGNIN_${state}`));
});

const shareless = (await postgresTarget.unavailable()) ?? noStateStore;

describeWith(shareless, 'several gateways', () => {
  test('sign in together, also where one ends meanwhile, and renew once', async () => {
    const [database, store, provider] = [
      await postgresTarget.open(),
      await openStateStore(),
      await startOpenIdProvider(),
    ];
    onTestFinished(async () => {
      for (const one of [database, store, provider]) await one.close();
    });
    provider.users.set('ada', { name: 'Ada Lovelace', roles: ['reader'] });
    const publicUrl = 'http://localhost:1';
    const { authentication, roles, server } = configSchema.parse({
      authentication: { oidc: oidcSettings(provider.issuer) },
      roles: READER,
      server: { publicUrl },
    });
    const shared = { authentication, roles, server, ...sharedSettings(store) };
    const start = (): Promise<Gateway> => startGateway(database.database, shared);
    const [one, other, third] = [await start(), await start(), await start()];
    onTestFinished(async () => {
      for (const gateway of [other, third]) await gateway.close();
    });
    provider.register([gatewayClient(publicUrl)]);
    /** The browser as the proxy before the gateways leads it. */
    const browser = new Browser();
    const through = (gateway: Gateway, url: string): string =>
      url.replace(publicUrl, `http://127.0.0.1:${gateway.port}`);
    const begun = through(one, `${publicUrl}${SIGN_IN_PATH}`);
    const { url } = await browser.signIn(begun, 'ada', (to) => to.startsWith(publicUrl));
    await one.close();
    const { status, headers } = await browser.send(through(other, url));
    expect([status, headers.get('location')]).toEqual([302, `${publicUrl}/explore/`]);
    const kept = await store.command('HGETALL', '{entitygate}:sessions:data');
    expect(JSON.stringify(kept)).not.toMatch(/refresh_token|"token"/);

    const statuses = (): Promise<number[]> =>
      Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const gateway = index % 2 === 0 ? other : third;
          const path = `${publicUrl}/rest/Company?$top=0`;
          return (await browser.send(through(gateway, path))).status;
        }),
      );
    const before = tokensAsked(provider);
    after(TOKEN_LIFE + 1);
    expect([new Set(await statuses()), tokensAsked(provider) - before]).toEqual([
      new Set([200]),
      1,
    ]);
    expect(await tellLogout(`http://127.0.0.1:${third.port}`, provider, { sub: 'ada' })).toBe(200);
    expect(new Set(await statuses())).toEqual(new Set([401]));
  });
});

test('an agent that knows no more than the address finds who issues tokens, and gets one', async () => {
  const provider = await startOpenIdProvider();
  const first = configSchema.parse({
    authentication: { anonymous: ['admin'] },
    mcp: { enabled: true },
    server: { hosts: ['erp.example.com'] },
  });
  const { authentication: everybody, mcp, server } = first;
  const gateway = await start({ authentication: everybody, mcp, server });
  onTestFinished(() => close({ gateway, provider, address }));
  const address = `http://127.0.0.1:${gateway.port}`;
  const { authentication, roles } = configSchema.parse({
    authentication: {
      jwt: {
        jwks: `${provider.issuer}/jwks`,
        issuer: provider.issuer,
        audience: `${address}/mcp`,
        rolesClaim: 'scope',
        roles: { 'erp.read': 'reader', größe: 'reader' },
      },
    },
    roles: READER,
  });
  gateway.configure({ authentication, roles });
  await gateway.get('/rest/$info/reload', { method: 'POST' });
  provider.users.set('ada', { name: 'Ada Lovelace' });
  provider.register([], {
    scopes: ['openid', 'offline_access', 'erp.read'],
    features: {
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, audience) => ({
          ...{ scope: 'erp.read', audience },
          ...{ accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } },
        }),
      },
    },
  });

  const oauth = new Consent();
  const transport = (): StreamableHTTPClientTransport =>
    new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { authProvider: oauth });
  const refused = transport();
  await expect(new Client({ name: 'test', version: '1' }).connect(refused)).rejects.toThrow(
    UnauthorizedError,
  );
  const { url } = await new Browser().signIn(oauth.asked, 'ada', (to) =>
    to.startsWith(oauth.redirectUrl),
  );
  await refused.finishAuth(new URL(url).searchParams.get('code') ?? '');
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('query');
  await client.close();

  const asked = async (path: string, sent: Record<string, string> = {}): Promise<unknown> => {
    const { status, body, headers } = await gateway.get(path, { headers: sent });
    return status === 401 ? headers['www-authenticate'] : body;
  };
  const wellKnown = '/.well-known/oauth-protected-resource';
  const challenge = `Bearer realm="Legacy ERP", resource_metadata="${address}${wellKnown}/rest", scope="erp.read"`;
  const basic = { authorization: 'Basic YTpi' };
  expect(await asked('/rest/Company', basic)).toBe(challenge);
  // A token for agents is good for nothing else.
  const bearer = { authorization: `Bearer ${oauth.tokens()?.access_token ?? ''}` };
  expect(await asked('/rest/Company', bearer)).toBe(`${challenge}, error="invalid_token"`);
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const sent = {
    ...bearer,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  expect((await gateway.get('/mc%70', { method: 'POST', headers: sent, body })).status).toBe(200);
  expect(await asked(`${wellKnown}/mcp`, { host: 'evil.example' })).toMatchObject({
    __ERROR: [{ errCode: 9029 }],
  });
  expect(await asked(`${wellKnown}/mcp`)).toEqual({
    resource: `${address}/mcp`,
    resource_name: 'Legacy ERP',
    authorization_servers: [provider.issuer],
    scopes_supported: ['erp.read'],
    bearer_methods_supported: ['header'],
  });
});

/** An agent's user, who agrees to whatever it asks. */
class Consent implements OAuthClientProvider {
  readonly redirectUrl = 'http://localhost:9/callback';
  readonly clientMetadata = { client_name: 'An agent', redirect_uris: [this.redirectUrl] };
  asked = '';
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';

  clientInformation = (): OAuthClientInformationMixed | undefined => this.#client;
  saveClientInformation = (client: OAuthClientInformationMixed): void =>
    void (this.#client = client);
  tokens = (): OAuthTokens | undefined => this.#tokens;
  saveTokens = (tokens: OAuthTokens): void => void (this.#tokens = tokens);
  redirectToAuthorization = ({ href }: URL): void => void (this.asked = href);
  saveCodeVerifier = (verifier: string): void => void (this.#verifier = verifier);
  codeVerifier = (): string => this.#verifier;
}
