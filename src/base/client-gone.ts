/**
 * Work was given up because nobody waits for its result any more: the client has gone. There is nobody to answer, and nothing
 * has gone wrong with the gateway, so that this is neither answered nor logged as a failure.
 */
export class ClientGone extends Error {
  constructor(cause?: unknown) {
    super('nobody waits for the result any more', cause === undefined ? undefined : { cause });
    this.name = 'ClientGone';
  }
}
