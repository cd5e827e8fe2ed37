import { ProtocolError } from './errors.ts';

/** What went wrong in the words of whoever found it, an engine's say: those of all of several, and those behind the gateway's. */
export function reason(error: unknown): string {
  if (error instanceof ProtocolError && error.cause !== undefined) return reason(error.cause);
  const several = severalBehind(error);
  if (several !== null) return [...new Set(several.map(reason))].join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** The errors of several attempts that stand behind one, which itself says no more than that it failed. */
function severalBehind(error: unknown): readonly unknown[] | null {
  if (error instanceof AggregateError) return error.errors as readonly unknown[];
  if (!(error instanceof Error)) return null;
  const { cause, originalError } = error as { cause?: unknown; originalError?: unknown };
  return severalBehind(cause ?? originalError);
}
