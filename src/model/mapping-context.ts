import { nameHint } from '../base/names.ts';
import type { Mapping, MappingFile } from '../config/mapping.ts';
import { findNamed, qualifiedName, type Column, type Table } from '../schema/types.ts';
import type { ModelReport } from './report.ts';
import type { ModelSettings } from './settings.ts';

/** A mapping file while its dataclass is built: what it maps, under which settings, and where its faults are told. */
export class MappingContext {
  readonly source: MappingFile;
  readonly table: Table;
  readonly settings: ModelSettings;
  readonly report: ModelReport;

  constructor(source: MappingFile, table: Table, settings: ModelSettings, report: ModelReport) {
    this.source = source;
    this.table = table;
    this.settings = settings;
    this.report = report;
  }

  get mapping(): Mapping {
    return this.source.mapping;
  }

  problem(path: readonly string[], message: string): void {
    this.report.problem(this.source, path, message);
  }

  warning(path: readonly string[], message: string): void {
    this.report.warning(this.source, path, message);
  }

  /**
   * The column that the file names, of its own table or of another one.
   * @param path where the file names it
   * @returns null where there is none, which is reported
   */
  column(name: string, path: readonly string[], table = this.table): Column | null {
    const nameOf = (column: { readonly name: string }): string => column.name;
    const found = findNamed(table.columns, name, nameOf, table.ignoreCase ?? false);
    if (found !== undefined) return found;
    const leftOut = findNamed(table.leftOut ?? [], name, nameOf, table.ignoreCase ?? false);
    if (leftOut !== undefined) {
      this.problem(path, `${qualifiedName(table)}: column ${name} is left out: ${leftOut.why}`);
      return null;
    }
    const hint = nameHint(name, table.columns.map(nameOf));
    this.problem(path, `${qualifiedName(table)} has no column ${name}.${hint}`);
    return null;
  }
}
