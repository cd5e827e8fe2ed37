import { ProtocolError, StartupError } from '../base/errors.ts';

/** Runs a statement of an introspection. */
export type ReadRows = (text: string) => Promise<readonly (readonly unknown[])[]>;

/** How many characters of a statement a message contains. */
const MOST_SHOWN = 500;

/** How many unknown objects a note names. */
const MOST_NAMED = 10;

/** @throws the error itself if it is not a refusal, because other statements would fail as well */
export function refusalOf(error: unknown): ProtocolError {
  const isRefusal =
    error instanceof ProtocolError &&
    error.errorName !== 'databaseUnavailable' &&
    error.errorName !== 'connectionsBusy';
  if (!isRefusal) throw error;
  return error;
}

/** The error for a refused statement without which nothing can be served. */
export function neededRefused(text: string, refusal: ProtocolError): StartupError {
  const statement = text.trim().replaceAll(/\s+/g, ' ');
  const shown = statement.length > MOST_SHOWN ? `${statement.slice(0, MOST_SHOWN)} …` : statement;
  const message = `the database refused a statement that the gateway needs: ${shown}. Cause: ${wordsOf(refusal)}`;
  return StartupError.at('database', message);
}

/** A note without a full stop about what is unknown. @param unknown `which columns …`; @param of the objects for which it is unknown; empty for all */
export function unknownNote(
  unknown: string,
  of: readonly string[],
  refusal: ProtocolError,
): string {
  const named = of.slice(0, MOST_NAMED).join(', ');
  const more = of.length > MOST_NAMED ? ` and ${of.length - MOST_NAMED} more` : '';
  const where = named === '' ? '' : ` (${named}${more})`;
  return `The database does not tell ${unknown}${where}. Cause: ${wordsOf(refusal)}`;
}

/** The database's own words. */
function wordsOf({ cause, message }: ProtocolError): string {
  return cause instanceof Error ? cause.message : message;
}
