import { ProtocolError } from '../../base/errors.ts';

/** What the client of an application that does not answer is told; the cause goes to the log. */
export function applicationError(error: unknown): ProtocolError {
  return ProtocolError.of(
    isTimeout(error) ? 'applicationTimeout' : 'applicationUnavailable',
    error,
  );
}

/** Timeouts of undici's, or of a connection that Node could not open. */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ETIMEDOUT' || /^UND_ERR_.*_TIMEOUT$/.test(code ?? '') || isTimeout(error.cause);
}
