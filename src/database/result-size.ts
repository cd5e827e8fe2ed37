import { ProtocolError } from '../base/errors.ts';

/** How much the rows of one statement may take as they come over the wire, in bytes: they are held in memory at once. */
export const MOST_RESULT_BYTES = 134_217_728;

/** The rows of a statement hold more than may be in memory at once. */
export function resultTooLarge(): ProtocolError {
  return new ProtocolError(
    'answerTooLarge',
    `The database answers more than ${MOST_RESULT_BYTES / 1_048_576} MB to one statement of this request: ask for fewer attributes, or for fewer entities at once.`,
  );
}
