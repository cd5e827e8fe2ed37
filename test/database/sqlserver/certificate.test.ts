import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificateProblem } from '../../../src/database/sqlserver/new-connection.ts';
import { makeCertificate, type Certificate } from '../../fixtures/certificates.ts';

/** A server whose certificate is for localhost and 127.0.0.1. */
const server = createServer();
let certificate: Certificate;
beforeAll(async () => {
  certificate = await makeCertificate();
  server.setSecureContext(certificate);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => server.close());

/** Why a connection does not take the server for an address; undefined if it does. */
async function problem(address: string, options: object): Promise<unknown> {
  const { port } = server.address() as AddressInfo;
  const socket: TLSSocket = connect({
    port,
    rejectUnauthorized: false,
    servername: '',
    ...options,
  });
  await once(socket, 'secureConnect');
  const found = certificateProblem(socket, address) as { readonly code?: unknown } | undefined;
  socket.destroy();
  return found?.code;
}

test('the certificate of an address has to have it, and to be trusted', async () => {
  const ca = certificate.cert;
  const altname = Object.assign(new Error('localhost'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  expect(await problem('127.0.0.1', { ca })).toBeUndefined();
  // The driver's socket takes its server for localhost.
  expect(await problem('127.0.0.1', { ca, checkServerIdentity: () => altname })).toBeUndefined();
  expect(await problem('127.0.0.2', { ca })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  expect(await problem('127.0.0.1', {})).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
});
