import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ProtocolError } from '../../base/errors.ts';
import { isProbe } from './health.ts';
import { checkHost } from './known-host.ts';
import { hostOf, originForm } from '../pipeline/target.ts';

/** What requests are let in by. */
export interface AdmissionSettings {
  /** The longest URL. */
  readonly maxUrlBytes?: number | undefined;
  /** The names that the gateway goes by, where nobody has to log in; where it is left out, it answers to any. */
  readonly unauthenticatedHosts?: readonly string[] | undefined;
}

/** Refuses by its URL, Host and Expect alone what needs no more to be refused. */
export function refuseUnseen(
  server: FastifyInstance,
  { maxUrlBytes = Infinity, unauthenticatedHosts }: AdmissionSettings,
): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { raw, host, originalUrl } = request;
    try {
      if (raw.httpVersion !== '1.1' && raw.httpVersion !== '1.0') {
        throw new ProtocolError('badRequest', 'The gateway speaks HTTP/1.1.');
      }
      if (raw.httpVersion === '1.1' && raw.headers.host === undefined) {
        throw new ProtocolError('badRequest', 'The header Host is missing.');
      }
      if (raw.rawHeaders.filter(isHost).length > 1) {
        throw new ProtocolError('badRequest', 'The header Host is there twice.');
      }
      refuseExpectation(raw);
      refuseCoding(raw);
      if (originForm(originalUrl).length > maxUrlBytes) {
        throw new ProtocolError('urlTooLong', `The URL is longer than ${maxUrlBytes} bytes.`);
      }
      if (unauthenticatedHosts !== undefined && !isProbe(request)) {
        checkHost(host, unauthenticatedHosts);
        // Who names a server in the target means that one, whatever Host says (RFC 9112, 3.2.2).
        checkHost(hostOf(originalUrl), unauthenticatedHosts);
      }
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Of names and values in turn, whether one is the name of the header Host (RFC 9112, 3.2: there is one). */
function isHost(text: string, at: number): boolean {
  return text.length === 4 && at % 2 === 0 && text.toLowerCase() === 'host';
}

/** What a client may ask for beforehand is to be told to go on (RFC 9110, 10.1.1); of HTTP/1.0 it is passed over. */
function refuseExpectation({ headers: { expect }, httpVersion }: IncomingMessage): void {
  if (expect === undefined || httpVersion === '1.0') return;
  if (/(?:^|\W)100-continue(?:$|\W)/i.test(expect)) return;
  throw new ProtocolError(
    'expectationFailed',
    'The header Expect asks for what the gateway does not do: expected 100-continue, or no such header.',
  );
}

/** What bodies are sent in is chunks at most: Node undoes no other coding (RFC 9112, 6.1), and answers itself where chunks are not the last one. */
function refuseCoding({ headers }: IncomingMessage): void {
  const coding = headers['transfer-encoding']?.trim().toLowerCase() ?? '';
  if (coding === 'chunked' || !coding.endsWith('chunked')) return;
  throw new ProtocolError(
    'badMediaType',
    `The body is encoded, as Transfer-Encoding says: ${coding.slice(0, 100)}. Send it as it is, in chunks or with its length.`,
  );
}
