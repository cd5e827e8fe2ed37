import { LRUCache } from 'lru-cache';

/** A statement that the server keeps, parsed, for one connection. */
export interface NamedStatement {
  readonly name: string;
  /** The names of its result columns, from its first run. */
  columns: readonly string[];
}

/** The most statements of a connection, as many as JDBC's driver keeps. */
const MOST_STATEMENTS = 256;

/** The most characters of their texts. */
const MOST_CHARACTERS = 2_097_152;

/**
 * The statements that the server keeps for one connection. The least recently used ones are dropped. No name is used twice
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY).
 */
export class NamedStatements {
  readonly #kept = new LRUCache<string, NamedStatement>({
    max: MOST_STATEMENTS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_statement, text) => text.length + 1,
    dispose: ({ name }) => this.drop(name),
  });
  #dropped: string[] = [];
  #names = 0;

  find(text: string): NamedStatement | null {
    return this.#kept.get(text) ?? null;
  }

  newName(): string {
    this.#names += 1;
    return `entitygate_${this.#names}`;
  }

  /** Notes what the server has parsed. */
  keep(text: string, statement: NamedStatement): void {
    this.#kept.set(text, statement);
    if (!this.#kept.has(text)) this.drop(statement.name);
  }

  /** Notes that the server may forget a statement. */
  drop(name: string): void {
    this.#dropped.push(name);
  }

  /** Drops all: they return other columns now. */
  clear(): void {
    this.#kept.clear();
  }

  /** The names that the server has to be told to forget; each is returned once. */
  takeDropped(): readonly string[] {
    const names = this.#dropped;
    if (names.length > 0) this.#dropped = [];
    return names;
  }
}
