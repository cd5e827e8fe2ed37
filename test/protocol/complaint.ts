import { ProtocolError } from '../../src/base/errors.ts';

/** What a client is told: the error's name and its message. What is answered all the same is named as such. */
export function complaint(read: () => unknown): readonly [name: string, message: string] {
  try {
    return ['answered', JSON.stringify(read())];
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return [error.errorName, error.message];
  }
}
