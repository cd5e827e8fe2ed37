import type { FunctionFile } from '../../config/settings/functions.ts';
import type { MappingFile } from '../../config/mapping.ts';
import { NameIndex } from '../../model/lookup.ts';
import { inStableOrder, tablesByName } from '../../schema/snapshot.ts';
import {
  qualifiedName,
  type PhysicalSchema,
  type Routine,
  type Table,
} from '../../schema/types.ts';
import { schemaChooser, tableChooser } from './choice.ts';
import { Namer } from './namer.ts';
import type { Rules } from './rules.ts';

export interface LeftOut {
  readonly what: string;
  readonly why: string;
}

/** What a run of `init` starts from. */
export interface InitInput {
  readonly schema: PhysicalSchema;
  readonly files: readonly MappingFile[];
  /** The snapshot of the last run, or null where there was none. */
  readonly prior: PhysicalSchema | null;
  readonly rules: Rules;
  /** Brings back what was removed from the files after an earlier run. */
  readonly restore: boolean;
  readonly functionFiles?: readonly FunctionFile[];
}

/** The state of a run. What is neither in a file nor new since the last snapshot was removed by the user, and must not be exposed again. */
export class InitContext {
  readonly input: InitInput;
  readonly rules: Rules;
  readonly files: readonly MappingFile[];
  readonly functionFiles: readonly FunctionFile[];
  readonly namer: Namer;
  readonly index: NameIndex;
  /** Whether the rules choose a table. */
  readonly isChosen: (table: Table) => boolean;
  /** The chosen tables and those that files name, in stable order. */
  readonly tables: readonly Table[];
  readonly routines: readonly Routine[];
  readonly leftOut: LeftOut[] = [];
  readonly #prior: ReadonlyMap<string, Table>;

  constructor(input: InitInput) {
    const { schema, files, prior, rules, functionFiles = [] } = input;
    this.input = input;
    this.rules = rules;
    this.files = files;
    this.functionFiles = functionFiles;
    this.namer = new Namer(rules, schema.tables);
    const all = new NameIndex(schema);
    this.isChosen = tableChooser(rules, all.fold);
    const mapped = new Set(files.map((file) => all.mapped(file.mapping)));
    const { tables, routines = [] } = inStableOrder({
      ...schema,
      tables: schema.tables.filter((table) => this.isChosen(table) || mapped.has(table)),
    });
    this.tables = tables;
    this.routines = routines.filter(schemaChooser(rules.schemas, all.fold));
    // Stable order makes copies: the index has to know these.
    this.index = new NameIndex({ ...schema, tables });
    this.#prior = prior === null ? new Map() : tablesByName(prior);
  }

  leaveOut(what: string, why: string): void {
    this.leftOut.push({ what, why });
  }

  isNewTable(table: Table): boolean {
    return this.input.restore || !this.#prior.has(qualifiedName(table));
  }

  /** Whether a column or a foreign key is new in a table that the run before knew. */
  isNewIn(table: Table, part: 'columns' | 'foreignKeys', name: string): boolean {
    if (this.input.restore) return true;
    const before = this.#prior.get(qualifiedName(table));
    return before !== undefined && !before[part].some((known) => known.name === name);
  }
}
