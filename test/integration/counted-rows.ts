/** A change of one row that was sent: what it was made of, and what was said of it. */
interface Change {
  readonly id: number;
  /** The stamp that the client had read, and the value that it wrote. */
  readonly base: number;
  readonly value: number;
  /** The stamp that it was answered; null where nobody knows whether it was made. */
  readonly stamp: number | null;
}

interface Row {
  readonly __KEY: string;
  readonly __STAMP: number;
  readonly grade: number;
  readonly __STATUS?: { readonly success: boolean };
  readonly __ERROR?: readonly { readonly errCode: number }[];
}

const OUTCOME_UNKNOWN = 9014;

/** Clients that count up the same employees, several in one body, each with the stamp that it has read; and what the answers said of them. */
export class CountedRows {
  readonly #base: string;
  readonly #ids: readonly number[];
  readonly #changes: Change[] = [];
  #start: ReadonlyMap<number, Row> = new Map();
  #refused = 0;

  /** @param base the address of the gateway */
  constructor(base: string, ids: readonly number[]) {
    this.#base = base;
    this.#ids = ids;
  }

  /** What was answered, in short. */
  get told(): string {
    const known = this.#changes.filter(({ stamp }) => stamp !== null).length;
    return `${known} made, ${this.#changes.length - known} in doubt, ${this.#refused} not made`;
  }

  async open(): Promise<void> {
    this.#start = await this.#read(this.#ids);
  }

  /** Counts some of the rows up. @returns whether all that was sent was made */
  async count(ids: readonly number[]): Promise<boolean> {
    const read = await this.#read(ids).catch(() => null);
    if (read === null) return false;
    const sent = [...read.values()].map(({ __KEY, __STAMP, grade }) => ({
      __KEY,
      __STAMP,
      grade: grade + 1,
    }));
    const answered = await this.#save(sent);
    let made = 0;
    for (const [at, { __KEY, __STAMP: base, grade: value }] of sent.entries()) {
      const change = { id: Number(__KEY), base, value };
      const row = answered?.[at];
      const isUnknown = row?.__ERROR?.some(({ errCode }) => errCode === OUTCOME_UNKNOWN) ?? true;
      if (row?.__STATUS?.success === true) {
        made += 1;
        this.#changes.push({ ...change, stamp: row.__STAMP });
      } else if (isUnknown) this.#changes.push({ ...change, stamp: null });
      else this.#refused += 1;
    }
    return made === sent.length;
  }

  /** What in the rows, as they are now, contradicts what clients were told: a change that is lost or made twice, or a stamp that nobody wrote. */
  async problems(): Promise<string[]> {
    const problems: string[] = [];
    const now = await this.#read(this.#ids);
    for (const [id, { grade, __STAMP }] of now) {
      const first = this.#start.get(id);
      const own = this.#changes.filter((change) => change.id === id);
      let last: number | null = first?.__STAMP ?? null;
      for (let value = (first?.grade ?? 0) + 1; value <= grade; value += 1) {
        const claims = own.filter((change) => change.value === value);
        const known = claims.filter(({ stamp }) => stamp !== null);
        const made = known[0] ?? claims[0];
        const isAsRead = made !== undefined && (last === null || made.base === last);
        if (known.length > 1 || !isAsRead) problems.push(`${id}: ${value} of ${claims.length}`);
        last = made?.stamp ?? null;
      }
      const beyond = own.filter(({ value, stamp }) => value > grade && stamp !== null);
      if (beyond.length > 0) problems.push(`${id}: ${beyond.length} lost`);
      if (last !== null && last !== __STAMP) problems.push(`${id}: stamp ${__STAMP}, not ${last}`);
    }
    return problems;
  }

  async #read(ids: readonly number[]): Promise<ReadonlyMap<number, Row>> {
    const answer = await fetch(`${this.#base}/rest/Employee(${ids.join()})?$attributes=grade`);
    if (!answer.ok) throw new Error(await answer.text());
    const body = (await answer.json()) as { readonly __ENTITIES?: readonly Row[] } & Row;
    return new Map((body.__ENTITIES ?? [body]).map((row) => [Number(row.__KEY), row]));
  }

  /** @returns the rows of the answer, or null where none came; of a request that was refused as a whole one for each sent */
  async #save(sent: readonly object[]): Promise<readonly Row[] | null> {
    try {
      const answer = await fetch(`${this.#base}/rest/Employee?$method=update&$attributes=grade`, {
        method: 'POST',
        body: JSON.stringify(sent),
      });
      const body = (await answer.json()) as { readonly __ENTITIES?: readonly Row[] } & Row;
      return body.__ENTITIES ?? sent.map(() => body);
    } catch {
      return null;
    }
  }
}
