import type { Mapping } from '../config/mapping.ts';
import { nameParts } from '../config/mapping-names.ts';
import { qualifiedName, type PhysicalSchema, type Table } from '../schema/types.ts';

/** Looks tables and views up the way the database would: in their exact case, or else in any where it ignores case. */
export class NameIndex {
  readonly #exact: ReadonlyMap<string, Table>;
  readonly #folded: ReadonlyMap<string, Table>;
  /** A name as it is compared with others. */
  readonly fold: (name: string) => string;

  constructor({ tables, ignoreCase = false }: PhysicalSchema) {
    this.fold = ignoreCase ? (name) => name.toLowerCase() : (name) => name;
    this.#exact = new Map(tables.map((table) => [qualifiedName(table), table]));
    // Of names that differ in case only, the first one is found.
    const folded = tables.map((table) => [this.fold(qualifiedName(table)), table] as const);
    this.#folded = new Map(folded.reverse());
  }

  /** The names of all tables and views. */
  names(): Iterable<string> {
    return this.#exact.keys();
  }

  table(schema: string, name: string): Table | undefined {
    const wanted = qualifiedName({ schema, name });
    return this.#exact.get(wanted) ?? this.#folded.get(this.fold(wanted));
  }

  /** The table or view that a mapping names, where the database has it. */
  mapped(mapping: Mapping): Table | undefined {
    const named = mappedName(mapping);
    return named === null ? undefined : this.table(named.schema, named.name);
  }
}

/** The name of the table or view that a mapping is for, or null where it says none. */
export function mappedName({ table, view }: Mapping): Pick<Table, 'schema' | 'name'> | null {
  const named = table ?? view;
  return named === undefined ? null : nameParts(named);
}
