import { ProtocolError, StartupError } from '../base/errors.ts';

/** Runs a statement of an introspection. */
export type ReadRows = (text: string) => Promise<readonly (readonly unknown[])[]>;

/** A message holds so much of a statement, in characters. */
const MOST_TOLD = 500;

/** A note names so many of the objects of which something is not known. */
const MOST_NAMED = 10;

/** @throws the error itself where it is not a refusal: asked again, nothing else would be answered either */
export function refusalOf(error: unknown): ProtocolError {
  const isRefusal =
    error instanceof ProtocolError &&
    error.errorName !== 'databaseUnavailable' &&
    error.errorName !== 'connectionsBusy';
  if (!isRefusal) throw error;
  return error;
}

/** A statement is refused without which nothing can be served. */
export function neededRefused(text: string, refusal: ProtocolError): StartupError {
  const statement = text.trim().replaceAll(/\s+/g, ' ');
  const told = statement.length > MOST_TOLD ? `${statement.slice(0, MOST_TOLD)} …` : statement;
  const message = `the database refused a statement that the gateway needs: ${told}. It says: ${wordsOf(refusal)}`;
  return new StartupError([{ where: 'database', message }]);
}

/**
 * What the schema does not tell, as a sentence without a full stop.
 * @param unknown `which columns …`
 * @param of the objects of which it is not known; empty for all
 */
export function unknownNote(
  unknown: string,
  of: readonly string[],
  refusal: ProtocolError,
): string {
  const named = of.slice(0, MOST_NAMED).join(', ');
  const more = of.length > MOST_NAMED ? ` and ${of.length - MOST_NAMED} more` : '';
  const where = named === '' ? '' : ` (${named}${more})`;
  return `The database does not tell ${unknown}${where}. It says: ${wordsOf(refusal)}`;
}

/** What the database itself says of what it refused. */
function wordsOf({ cause, message }: ProtocolError): string {
  return cause instanceof Error ? cause.message : message;
}
