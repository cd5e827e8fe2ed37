import type { SecretInput } from './secret-input.ts';

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
