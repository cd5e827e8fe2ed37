import { LRUCache } from 'lru-cache';

/** A statement that the server keeps, parsed, for one connection. */
export interface NamedStatement {
  readonly name: string;
  /** The names of its result columns; the server describes them when it is run first. */
  columns: readonly string[];
}

/** How many statements the server keeps for one connection; JDBC's driver has it keep as many. */
const MOST_STATEMENTS = 256;

/** How long their texts may be in all, in characters. */
const MOST_CHARACTERS = 2_097_152;

/**
 * The statements that the server keeps, parsed, for one connection, under names that are given once. Those that were not used for longest are let go of.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 */
export class NamedStatements {
  readonly #kept = new LRUCache<string, NamedStatement>({
    max: MOST_STATEMENTS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_statement, text) => text.length + 1,
    dispose: ({ name }) => {
      this.#leaving.push(name);
    },
  });
  #leaving: string[] = [];
  #given = 0;

  /** What the server keeps for a text; null where that is nothing. */
  find(text: string): NamedStatement | null {
    return this.#kept.get(text) ?? null;
  }

  /** A name that no statement of the connection's has had. */
  newName(): string {
    this.#given += 1;
    return `entitygate_${this.#given}`;
  }

  /** Notes what the server has parsed. */
  keep(text: string, statement: NamedStatement): void {
    this.#kept.set(text, statement);
    if (!this.#kept.has(text)) this.#leaving.push(statement.name);
  }

  /** Lets go of a name that the server may have for a statement. */
  drop(name: string): void {
    this.#leaving.push(name);
  }

  /** Lets go of all: what they answer has other columns now than when they were parsed. */
  clear(): void {
    this.#kept.clear();
  }

  /** The names that the server has to be told to let go of, told once. */
  leaving(): readonly string[] {
    const names = this.#leaving;
    if (names.length > 0) this.#leaving = [];
    return names;
  }
}
