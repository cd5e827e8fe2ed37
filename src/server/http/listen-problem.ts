import { StartupError } from '../../base/errors.ts';

/** An address that a server was to listen on, and where the configuration has its parts. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly locate: (part: 'host' | 'port') => string;
  /** How the user chooses another one. */
  readonly choose: Readonly<Record<'host' | 'port', string>>;
}

/** Explains why a server cannot listen; the error itself where that is not the user's to correct. */
export function listenProblem(
  error: NodeJS.ErrnoException,
  { host, port, locate, choose }: ListenAddress,
): Error {
  switch (error.code) {
    case 'EADDRINUSE': {
      const message = `port ${port} on ${host} is in use by another program; ${choose.port}`;
      return StartupError.at(locate('port'), message);
    }
    case 'EACCES': {
      const message = `port ${port} on ${host} is not allowed for this user: ports below 1024 need privileges; ${choose.port}`;
      return StartupError.at(locate('port'), message);
    }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL': {
      const message = `${host} is not an address of this machine; ${choose.host}`;
      return StartupError.at(locate('host'), message);
    }
    case undefined:
    default:
      return error;
  }
}
