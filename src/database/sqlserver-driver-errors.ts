/** One error of those that a statement met, as the driver tells it. */
export interface DriverError {
  readonly code?: unknown;
  /** The server's number; with errors of the driver's own, what it likes. */
  readonly number?: unknown;
  /** The severity: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-error-severities */
  readonly class?: unknown;
  readonly message?: unknown;
}

/** All errors of a statement in the order in which they came: the driver throws the last one and keeps the others in it. */
export function errorsOf(error: unknown): readonly DriverError[] {
  const { precedingErrors, errors } = error as {
    precedingErrors?: readonly DriverError[];
    errors?: readonly DriverError[];
  };
  return errors ?? [...(precedingErrors ?? []), error as DriverError];
}
