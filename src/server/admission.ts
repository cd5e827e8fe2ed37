import type { FastifyInstance } from 'fastify';
import { ProtocolError } from '../base/errors.ts';
import { isProbe } from './health.ts';
import { checkHost } from './known-host.ts';
import { originForm } from './target.ts';

/** What requests are let in by. */
export interface AdmissionSettings {
  /** The longest URL. */
  readonly maxUrlBytes?: number | undefined;
  /** The names that the gateway goes by, where nobody has to log in; where it is left out, it answers to any. */
  readonly unauthenticatedHosts?: readonly string[] | undefined;
}

/** Refuses by its URL and Host alone what needs no more to be refused. */
export function refuseUnseen(
  server: FastifyInstance,
  { maxUrlBytes = Infinity, unauthenticatedHosts }: AdmissionSettings,
): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { raw, host, originalUrl } = request;
    try {
      if (raw.httpVersion === '1.1' && raw.headers.host === undefined) {
        throw new ProtocolError('badRequest', 'The header Host is missing.');
      }
      if (originForm(originalUrl).length > maxUrlBytes) {
        throw new ProtocolError('urlTooLong', `The URL is longer than ${maxUrlBytes} bytes.`);
      }
      if (unauthenticatedHosts !== undefined && !isProbe(request)) {
        checkHost(host, unauthenticatedHosts);
      }
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}
