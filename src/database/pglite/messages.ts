/** A long text of a parameter, in UTF-8. */
export interface Utf8Pieces {
  readonly utf8: readonly Uint8Array[];
}

/** What the embedded database is asked to do in its worker. */
export type Task =
  | {
      readonly kind: 'query';
      readonly text: string;
      readonly values: readonly (string | Uint8Array | Utf8Pieces | null)[];
    }
  /** The next rows of a query, by its {@link Question.id}. */
  | { readonly kind: 'more'; readonly query: number }
  /** A script of statements, of which nothing is answered. */
  | { readonly kind: 'exec'; readonly script: string }
  | { readonly kind: 'close' };

/** What goes to the worker. */
export interface Question {
  readonly id: number;
  readonly task: Task;
}

/** What comes of a task; of what is no query it is empty. */
export interface Part {
  readonly columns: string[];
  /** Texts, nulls, and long texts as bytes in UTF-8, which are handed over and not copied. */
  readonly rows: unknown[][];
  /** Whether there are rows that have to be asked for. */
  readonly hasMore: boolean;
  /** Whether there are more than may be held at once; left out where there are not. */
  readonly isTooLarge?: boolean;
}

/** An error as it comes from the worker: what PostgreSQL, the file system or JavaScript says of it. */
export interface ReportedError {
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number>>;
  /** Whether the database cannot be used any more. */
  readonly isEnd: boolean;
}

/** What comes from the worker. */
export type Reply =
  | { readonly id: number; readonly part: Part }
  | { readonly id: number; readonly error: ReportedError };

/** What a worker is started with. */
export interface WorkerData {
  /** The folder of the database's files; null to keep none. */
  readonly folder: string | null;
  /** How much the rows of one query may hold; of more nothing is answered but {@link Part.isTooLarge}. */
  readonly mostBytes: number;
  /** How long a text is that goes over as bytes, in characters. */
  readonly longText: number;
}

/** The {@link Question.id} of the start itself, which nobody has to ask for. */
export type StartId = 0;
