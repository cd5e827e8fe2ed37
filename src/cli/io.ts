import { isUtf8 } from 'node:buffer';
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { StartupError } from '../base/errors.ts';

/** Where a command reads what nobody is to see. */
export interface SecretInput {
  /** Whether a person types it, and may mistype it unseen. */
  readonly isTerminal: boolean;
  /**
   * Reads one line: what is typed, without showing it, or the first line of what is piped in.
   * @throws StartupError where nothing is given
   */
  readonly read: (prompt: string) => Promise<string>;
}

/** How long a piped line may be, in bytes. */
const MOST_BYTES = 8192;

/**
 * Reads secrets from standard input.
 * @param open opens it, when it is needed
 * @param show shows the prompt
 */
export function secretInput(
  open: () => Readable,
  isTerminal: boolean,
  show: (text: string) => void,
): SecretInput {
  return {
    isTerminal,
    read: (prompt) => (isTerminal ? typedLine(open(), prompt, show) : firstLine(open())),
  };
}

/** The terminal sends each key and shows none of them; the line is edited as any other. */
async function typedLine(
  input: Readable,
  prompt: string,
  show: (text: string) => void,
): Promise<string> {
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  show(prompt);
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  try {
    return await new Promise<string>((resolve, reject) => {
      const cancelled = (): void => {
        reject(new StartupError([{ where: null, message: 'cancelled; nothing was written' }]));
      };
      // Ctrl+C and Ctrl+D.
      lines.once('line', resolve).once('SIGINT', cancelled).once('close', cancelled);
    });
  } finally {
    lines.close();
    show('\n');
  }
}

async function firstLine(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop closes the input: what else would come is not waited for.
  for await (const chunk of input as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (chunk.includes('\n') || size > MOST_BYTES) break;
  }
  const line = beforeBreak(Buffer.concat(chunks));
  if (line.length > MOST_BYTES || !isUtf8(line)) {
    const message = `the first line of standard input is not text in UTF-8 of up to ${MOST_BYTES} bytes`;
    throw new StartupError([{ where: null, message }]);
  }
  return line.toString('utf8');
}

function beforeBreak(bytes: Buffer): Buffer {
  const end = bytes.indexOf('\n');
  const line = end === -1 ? bytes : bytes.subarray(0, end);
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}

/** What a command reads and where it writes; tests pass their own. */
export interface CommandIo {
  readonly environment: NodeJS.ProcessEnv;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Whether {@link error} is a terminal that a person looks at. */
  readonly isTerminal: boolean;
  /** Where passwords are read: never from the command line, which other users of the machine see. */
  readonly secret: SecretInput;
}

/** What takes longer than this is told of, in milliseconds. */
const LONG = 2000;

/** One line of progress on a terminal; elsewhere a line for work that takes a while. */
export class Progress {
  readonly #io: CommandIo;

  constructor(io: CommandIo) {
    this.#io = io;
  }

  /** Shows what is being done until it is done. */
  async during<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
    if (!this.#io.isTerminal) return this.#said(text, work);
    const started = Date.now();
    const show = (): void => {
      const seconds = Math.floor((Date.now() - started) / 1000);
      this.#io.error(`\r\u001b[2K${text} …${seconds === 0 ? '' : ` ${seconds} s`}`);
    };
    show();
    const timer = setInterval(show, 1000);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      this.#io.error('\r\u001b[2K');
    }
  }

  async #said<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
    const timer = setTimeout(() => {
      this.#io.error(`${text} …\n`);
    }, LONG);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }
}
