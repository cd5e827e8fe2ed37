import { isUtf8 } from 'node:buffer';
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { StartupError } from '../base/errors.ts';

export interface CommandInput {
  /** Whether a person types. */
  readonly isTerminal: boolean;
  /** Reads one line: typed without an echo, or the first line that is piped in. @throws StartupError where nothing is given */
  readonly readSecret: (prompt: string) => Promise<string>;
  /** Reads one line that the terminal shows, without blanks around it. @throws StartupError where the person cancels */
  readonly readLine: (prompt: string) => Promise<string>;
}

const MOST_BYTES = 8192;

/** Reads what is typed or piped in. @param open opens standard input when needed @param show shows prompts and what is typed */
export function commandInput(
  open: () => Readable,
  isTerminal: boolean,
  show: (text: string) => void,
): CommandInput {
  return {
    isTerminal,
    readSecret: async (prompt) => {
      if (!isTerminal) return firstLine(open());
      show(prompt);
      try {
        return await typedLine(open(), '', () => undefined);
      } finally {
        show('\n');
      }
    },
    readLine: async (prompt) => (await typedLine(open(), prompt, show)).trim(),
  };
}

/** Reads a line from a terminal. @param show shows the prompt and each key */
async function typedLine(
  input: Readable,
  prompt: string,
  show: (text: string) => void,
): Promise<string> {
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      show(chunk.toString('utf8'));
      done();
    },
  });
  const lines = createInterface({ input, output, prompt, terminal: true, historySize: 0 });
  try {
    return await new Promise<string>((resolve, reject) => {
      const cancelled = (): void => {
        reject(StartupError.at(null, 'cancelled; nothing was written'));
      };
      // Ctrl+C and Ctrl+D.
      lines.once('line', resolve).once('SIGINT', cancelled).once('close', cancelled);
      lines.prompt();
    });
  } finally {
    lines.close();
  }
}

async function firstLine(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop closes the input.
  for await (const chunk of input as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (chunk.includes('\n') || size > MOST_BYTES) break;
  }
  const bytes = Buffer.concat(chunks);
  const end = bytes.indexOf('\n');
  const whole = end === -1 ? bytes : bytes.subarray(0, end);
  const line = whole.at(-1) === 0x0d ? whole.subarray(0, -1) : whole;
  if (line.length > MOST_BYTES || !isUtf8(line)) {
    const message = `the first line of standard input is not text in UTF-8 of up to ${MOST_BYTES} bytes`;
    throw StartupError.at(null, message);
  }
  return line.toString('utf8');
}

/** The input and output of a command; tests pass their own. */
export interface CommandIo {
  readonly environment: NodeJS.ProcessEnv;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Whether {@link error} is a terminal. */
  readonly isTerminal: boolean;
  /** Passwords are never read from the command line, which other users of the machine see. */
  readonly input: CommandInput;
  /** How the user starts the gateway, to print commands that work: `node dist/main.js`. */
  readonly program: string;
}

/** After this time, work is announced where nobody watches, in milliseconds. */
const LONG = 2000;

/** Runs work and shows what is done: in a line that goes on a terminal, elsewhere in a line where it takes a while. */
export async function withProgress<Result>(
  { isTerminal, error }: CommandIo,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const started = Date.now();
  const show = (): void => {
    const seconds = Math.floor((Date.now() - started) / 1000);
    error(`\r\u001b[2K${text} …${seconds === 0 ? '' : ` ${seconds} s`}`);
  };
  if (isTerminal) show();
  const timer = isTerminal ? setInterval(show, 1000) : setTimeout(() => error(`${text} …\n`), LONG);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (isTerminal) error('\r\u001b[2K');
  }
}
