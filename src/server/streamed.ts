import { Readable } from 'node:stream';
import { onAbort } from '../base/on-abort.ts';
import type { Activity } from '../observe/observer.ts';
import { reportError } from './error-answers.ts';

/**
 * The body of an answer that is written while its client takes it: the next text is asked for when the ones before it are on their way. What goes wrong
 * meanwhile breaks the answer off, and is told to the observer.
 * @param close gives up what the texts are made of; it is called when the body has ended, however that is, and may be called twice
 */
export function streamed(
  texts: () => AsyncGenerator<string>,
  close: () => void,
  { signal, observer }: Pick<Activity, 'signal' | 'observer'>,
): Readable {
  const told = async function* (): AsyncGenerator<string> {
    try {
      for await (const text of texts()) if (text !== '') yield text;
    } catch (error) {
      if (!signal.aborted) reportError(error, observer);
      throw error;
    }
  };
  const body = Readable.from(told(), { objectMode: false });
  const ignoreAbort = onAbort(signal, close);
  body.once('close', () => {
    ignoreAbort();
    close();
  });
  return body;
}
