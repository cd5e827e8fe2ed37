/** One error of those that a request met, as the server tells it. */
export interface ServerMessage {
  readonly number: number;
  /** The severity: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-error-severities */
  readonly class: number;
  readonly message: string;
  /** The procedure or trigger that it came up in; empty for the statement itself. */
  readonly procName: string;
}

/** A request of the driver's failed. */
export class RequestFailure extends Error {
  /** All errors that the server told of, in their order; none where it said nothing. */
  readonly messages: readonly ServerMessage[];

  /** @param cause what the driver made of it */
  constructor(messages: readonly ServerMessage[], cause: Error) {
    super(messages.at(-1)?.message ?? cause.message, { cause });
    this.name = 'RequestFailure';
    this.messages = messages;
  }
}

/** What the server told of an error; nothing where it is not a request that failed. */
export function messagesOf(error: unknown): readonly ServerMessage[] {
  return error instanceof RequestFailure ? error.messages : [];
}
