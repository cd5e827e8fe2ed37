import { ProtocolError } from '../../base/errors.ts';

/** What a client is told whose credentials are not taken (1822, 401). No credentials, nor a part of them, belong into the message. */
export function refused(message: string): ProtocolError {
  return new ProtocolError('notLoggedIn', message);
}
