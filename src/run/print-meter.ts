import type { RequestContext } from '../base/observe/observer.ts';
import type { Printer, Statement } from '../sql/ir/statement.ts';

/** About what a parameter or a result column takes: a few small objects and closures, with its part of the plan and the writer. */
const BYTES_OF_COLUMN = 1000;

/** About what a statement takes besides. */
const BYTES_OF_STATEMENT = 2000;

/** About how much memory a printed statement takes, its part of the plan and of the writer included; in bytes. */
export function statementBytes(statement: Statement | null): number {
  if (statement === null) return 0;
  const { text, parameters, readers } = statement;
  return (
    BYTES_OF_STATEMENT + 2 * text.length + BYTES_OF_COLUMN * (parameters.length + readers.length)
  );
}

/** Prints the statements of a plan, and measures how long that takes and about how much memory they take. */
export class PrintMeter implements Printer {
  readonly printTogether: Printer['printTogether'];
  readonly nullsFirst: Printer['nullsFirst'];
  readonly printDeepPage: Printer['printDeepPage'];
  readonly print: Printer['print'];
  readonly printWrite: Printer['printWrite'];
  readonly printCall: Printer['printCall'];
  #bytes = 0;
  #milliseconds = 0;

  constructor(printer: Printer) {
    // Printed later, if at all.
    this.printTogether = printer.printTogether;
    this.nullsFirst = printer.nullsFirst;
    this.printDeepPage = printer.printDeepPage;
    this.print = (query) => this.#measured(() => printer.print(query));
    this.printWrite = (query) => this.#measured(() => printer.printWrite(query));
    this.printCall = (query) => this.#measured(() => printer.printCall(query));
  }

  /** About how much memory all statements take that were printed so far, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Plans with this printer, and tells the observer how long planning took, and how long printing. */
  timed<Plan>({ signal, observer }: RequestContext, plan: () => Plan): Plan {
    signal.throwIfAborted();
    const start = performance.now();
    const before = this.#milliseconds;
    try {
      return plan();
    } finally {
      const printing = this.#milliseconds - before;
      observer.stageDone('plan', performance.now() - start - printing);
      if (this.#bytes > 0) observer.stageDone('sql', printing);
    }
  }

  #measured<Printed extends Statement | null>(print: () => Printed): Printed {
    const start = performance.now();
    const statement = print();
    this.#milliseconds += performance.now() - start;
    this.#bytes += statementBytes(statement);
    return statement;
  }
}
