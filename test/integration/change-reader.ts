interface Page {
  readonly __REMOVED?: readonly string[];
  readonly __ENTITIES: readonly { readonly __KEY: string; readonly n: number | null }[];
  readonly __MORE: boolean;
  readonly __TOKEN: string;
}

/** Keeps a copy by changes alone, and begins again behind what it has kept when it or the gateway is killed. */
export class ChangeReader {
  readonly copy = new Map<string, number | null>();
  readonly path: string;
  #token: string | null = null;
  #kills = 0;

  constructor(path: string) {
    this.path = path;
  }

  get kills(): number {
    return this.#kills;
  }

  /** Reads a page. @param isKilled whether the reader dies before it has kept the page @returns whether there was anything in it */
  async read(base: string, isKilled = false): Promise<boolean> {
    const since = this.#token === null ? '' : `&since=${this.#token}`;
    const answer = await fetch(`${base}/rest/Item/$changes?${this.path}${since}`);
    const page = (await answer.json()) as Page;
    if (!answer.ok) throw new Error(JSON.stringify(page));
    if (isKilled) {
      this.#kills += 1;
      return true;
    }
    for (const key of page.__REMOVED ?? []) this.copy.delete(key);
    for (const { __KEY, n } of page.__ENTITIES) this.copy.set(__KEY, n);
    this.#token = page.__TOKEN;
    return page.__MORE || (page.__REMOVED ?? []).length > 0 || page.__ENTITIES.length > 0;
  }

  /** Reads until two pages in a row have nothing. */
  async readAll(base: string): Promise<void> {
    for (let quiet = 0; quiet < 2;) quiet = (await this.read(base)) ? 0 : quiet + 1;
  }

  /** The entities of the copy, by their keys. */
  entities(): (readonly [number, number | null])[] {
    return [...this.copy]
      .map(([key, n]) => [Number(key), n] as const)
      .toSorted(([one], [other]) => one - other);
  }
}
