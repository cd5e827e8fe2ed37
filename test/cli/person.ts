import { PassThrough } from 'node:stream';
import { StartupError } from '../../src/base/errors.ts';
import { commandInput, type CommandInput } from '../../src/cli/io.ts';

/** A person who answers in turn, and the questions asked; without an answer, they cancel. */
export function person(answers: readonly string[]): CommandInput & { readonly asked: string[] } {
  const left = [...answers];
  const asked: string[] = [];
  const answer = (prompt: string): Promise<string> => {
    asked.push(prompt);
    const next = left.shift();
    return next === undefined
      ? Promise.reject(StartupError.at(null, 'cancelled; nothing was written'))
      : Promise.resolve(next);
  };
  return { isTerminal: true, asked, readLine: answer, readSecret: answer };
}

/** A terminal at which the answers are typed, and what it shows of questions and answers. After the last answer, it is closed. */
export function terminal(answers: readonly string[]): CommandInput & { shown: string } {
  const left = [...answers];
  const keys = new PassThrough();
  const typed = {
    shown: '',
    ...commandInput(
      () => {
        const next = left.shift();
        setImmediate(() => (next === undefined ? keys.end() : keys.write(`${next}\r`)));
        return keys;
      },
      true,
      (text) => (typed.shown += text),
    ),
  };
  return typed;
}
