import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { JWK } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkIssuer, keysProblem } from '../../../src/access/auth/check-provider.ts';
import { oidcSetting } from '../../../src/config/settings/oidc.ts';
import { makeCertificate } from '../../fixtures/certificates.ts';
import { parsed, rows } from '../../rows.ts';
import { signer } from './identity-provider.ts';

/** What the provider says of itself, the headers of that answer, and its keys. */
let metadata: Readonly<Record<string, unknown>>;
let headers: Readonly<Record<string, string>>;
let keys: readonly JWK[];

const answer: RequestListener = ({ url }, response) => {
  const isOfKeys = url === '/keys';
  const status = url?.startsWith('/realms/') === true ? 404 : 200;
  response.writeHead(status, { 'content-type': 'application/json', ...(isOfKeys ? {} : headers) });
  response.end(JSON.stringify(isOfKeys ? { keys } : metadata));
};
const server = createServer(answer);
let issuer: string;
let usable: JWK;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  usable = (await signer('usable')).jwk;
});
afterAll(() => server.close());
beforeEach(() => {
  const [authorization_endpoint, token_endpoint] = [`${issuer}/authorize`, `${issuer}/token`];
  metadata = { issuer, authorization_endpoint, token_endpoint, jwks_uri: `${issuer}/keys` };
  headers = {};
  keys = [usable];
});

/** What is wrong with a provider; its own address is `HOST`. */
async function problems(at = issuer): Promise<string[]> {
  const settings = oidcSetting.parse({ issuer: at, clientId: 'gateway' });
  const { problems: found, doubts } = await checkIssuer(settings);
  return [...found, ...doubts].map((problem) => problem.replaceAll(new URL(at).host, 'HOST'));
}

test('nothing is wrong with a provider that can sign people in', async () => {
  metadata = {
    ...metadata,
    code_challenge_methods_supported: ['plain', 'S256'],
    response_types_supported: ['id_token', 'code'],
    scopes_supported: ['profile', 'openid'],
    end_session_endpoint: 'https://login.example.com/end',
  };
  headers = { date: new Date(Date.now() - 90_000).toUTCString(), age: '60' };
  expect(await problems()).toEqual([]);
});

test.each(rows`
  issuer: https://login.example.com/
    | the identity provider names itself https://login.example.com/: write its name as it does
  issuer: 5
    | http://HOST/.well-known/openid-configuration answers 200 without the configuration of an identity provider: correct the address
  {authorization_endpoint: null, jwks_uri: null}
    | the provider’s configuration lacks authorization_endpoint, jwks_uri: allow the authorization code flow of OpenID Connect there
  code_challenge_methods_supported: [plain]
    | the provider does not offer PKCE with S256, by which the gateway signs people in: allow it there
  id_token_signing_alg_values_supported: [RS256, HS256]
    | HOST has no signing key for RS256: let the provider sign by one of them
  id_token_signing_alg_values_supported: [HS256]
    | the provider signs ID tokens by HS256 alone: let it sign by RS256, or another algorithm with a public key
  grant_types_supported: [implicit]
    | the provider’s configuration lacks the grant type authorization_code: allow the authorization code flow of OpenID Connect there
  require_pushed_authorization_requests: true
    | the provider wants pushed authorization requests, which the gateway does not send: allow others there
  token_endpoint_auth_methods_supported: [client_secret_jwt]
    | the provider knows clients by client_secret_jwt, and the configuration has neither clientSecret nor privateKey: register the gateway with none
  response_types_supported: [id_token]
    | the provider’s configuration lacks the response type code: allow the authorization code flow of OpenID Connect there
  {token_endpoint: "http://login.example.com/token", end_session_endpoint: "javascript:alert(1)"}
    | the provider’s configuration names token_endpoint http://login.example.com/token, end_session_endpoint javascript:alert(1): expected https://…
  scopes_supported: [openid, email]
    | The identity provider does not list profile among its scopes: where it refuses sign-ins with invalid_scope, leave that out of authentication.oidc.scopes.
  jwks_uri: http://HOST/realms/keys
    | the signing keys at http://HOST/realms/keys cannot be fetched: Expected 200 OK from the JSON Web Key Set HTTP response. Correct the address, or let this machine reach it; HTTPS_PROXY is not used
`)('%s in its configuration is wrong', async (changes, problem) => {
  const changed = parsed<typeof metadata>(changes.replaceAll('HOST', new URL(issuer).host));
  const members = Object.entries({ ...metadata, ...changed });
  metadata = Object.fromEntries(members.filter(([, value]) => value !== null));
  expect(await problems()).toEqual([problem]);
});

test('an address without a configuration is wrong', async () => {
  expect(await problems(`${issuer}/realms/erp`)).toEqual([
    'http://HOST/realms/erp/.well-known/openid-configuration answers 404 without the configuration of an identity provider: correct the address',
  ]);
});

test.each([
  [300, 'ahead of'],
  [-300, 'behind'],
])('a clock that differs by %d seconds is wrong', async (seconds, direction) => {
  headers = { date: new Date(Date.now() + seconds * 1000).toUTCString() };
  expect(await problems()).toEqual([
    expect.stringMatching(
      `^the provider’s clock is (?:299|30[01]) seconds ${direction} this machine’s, more than clockSkewSeconds allows \\(60\\): set the clocks$`,
    ),
  ]);
});

test('a provider whose certificate is not trusted is told from one that does not answer', async () => {
  const other = createTlsServer(await makeCertificate(), answer);
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  // Later versions of Node.js advise on it themselves.
  expect(await problems(`https://127.0.0.1:${port}`)).toEqual([
    expect.stringMatching(
      /^the identity provider at HOST does not answer: fetch failed: self-signed certificate.*\. NODE_EXTRA_CA_CERTS=FILE trusts its authority$/,
    ),
  ]);
  await new Promise((resolve) => other.close(resolve));
  expect(await problems(`https://127.0.0.1:${port}`)).toEqual([
    'the identity provider at HOST does not answer: fetch failed: connect ECONNREFUSED HOST. Correct the address, or let this machine reach it; HTTPS_PROXY is not used',
  ]);
});

test('keys that cannot check signatures are wrong', async () => {
  const none = `${new URL(issuer).host} has no signing key for ES256: let the provider sign by one of them`;
  const problem = (...offered: readonly JWK[]): Promise<string | null> => {
    keys = offered;
    return keysProblem(`${issuer}/keys`, ['ES256']);
  };
  const { jwk: rsa } = await signer('rsa', 'RS256');
  expect(await problem()).toBe(none);
  expect(await problem(rsa, { ...usable, use: 'enc' }, { ...usable, alg: 'ES384' })).toBe(none);
  expect(await problem({ kty: 'oct', k: 'AAAA' }, { kty: 'EC', crv: 'P-256', x: '', y: '' })).toBe(
    none,
  );
  expect(await problem(rsa, { ...usable, alg: 'ES256' })).toBeNull();
});
