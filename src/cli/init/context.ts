import type { FunctionFile } from '../../config/settings/functions.ts';
import type { MappingFile } from '../../config/mapping.ts';
import { NameIndex } from '../../model/lookup.ts';
import { inStableOrder, tablesByName } from '../../schema/snapshot.ts';
import {
  qualifiedName,
  type Column,
  type ForeignKey,
  type PhysicalSchema,
  type Table,
} from '../../schema/types.ts';
import { Namer } from './namer.ts';
import type { Rules } from './rules.ts';

/** Something that no file names, and why. */
export interface LeftOut {
  readonly what: string;
  readonly why: string;
}

/** What a run of `init` starts from. */
export interface InitInput {
  readonly schema: PhysicalSchema;
  /** The mapping files that are there. */
  readonly files: readonly MappingFile[];
  /** What the last run found, or null where there was none. */
  readonly prior: PhysicalSchema | null;
  readonly rules: Rules;
  /** Brings back what was removed from the files after an earlier run. */
  readonly restore: boolean;
  /** The mapping files of functions alone; left out where there are none. */
  readonly functionFiles?: readonly FunctionFile[];
  /** Whether routines are written, too. */
  readonly routines?: boolean;
}

/**
 * What all steps of a run know. What is new is told from the snapshot of the run before: a column that is neither in a
 * file nor new was taken out by somebody, and exposing it again would be their surprise.
 */
export class InitContext {
  readonly rules: Rules;
  readonly namer: Namer;
  readonly index: NameIndex;
  readonly files: readonly MappingFile[];
  /** The tables of the chosen schemas and those that files name, in stable order. */
  readonly tables: readonly Table[];
  readonly leftOut: LeftOut[] = [];
  readonly #prior: ReadonlyMap<string, Table> | null;
  readonly #restore: boolean;

  constructor({ schema, files, prior, rules, restore }: InitInput) {
    this.rules = rules;
    this.namer = new Namer(rules);
    this.index = new NameIndex(schema);
    this.files = files;
    const chosen = new Set(rules.schemas.map(this.index.fold));
    const mapped = new Set(files.map((file) => this.index.mapped(file.mapping)));
    this.tables = inStableOrder({
      tables: schema.tables.filter(
        (table) =>
          chosen.size === 0 || chosen.has(this.index.fold(table.schema)) || mapped.has(table),
      ),
    }).tables;
    // Stable order makes copies: the index has to know these.
    this.index = new NameIndex({ ...schema, tables: this.tables });
    this.#prior = prior === null ? null : tablesByName(prior);
    this.#restore = restore;
  }

  leaveOut(what: string, why: string): void {
    this.leftOut.push({ what, why });
  }

  isNewTable(table: Table): boolean {
    return this.#restore || this.#before(table) === undefined;
  }

  isNewColumn(table: Table, column: Column): boolean {
    if (this.#restore) return true;
    const before = this.#before(table);
    return before !== undefined && !before.columns.some(({ name }) => name === column.name);
  }

  isNewForeignKey(table: Table, foreignKey: ForeignKey): boolean {
    if (this.#restore) return true;
    const before = this.#before(table);
    return before !== undefined && !before.foreignKeys.some(({ name }) => name === foreignKey.name);
  }

  #before(table: Table): Table | undefined {
    return this.#prior?.get(qualifiedName(table));
  }
}
