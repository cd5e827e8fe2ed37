import { nameHint } from '../base/names.ts';
import type { Mapping, MappingFile } from '../config/mapping.ts';
import { type Column, findNamed, qualifiedName, type Table } from '../schema/types.ts';
import type { ModelSettings } from './types.ts';
import type { StartupProblem } from '../base/errors.ts';
import type { YamlFile } from '../config/document/yaml.ts';

/** A mapping file, of whichever kind. */
interface Reported {
  readonly file: YamlFile;
}

/** Collects what is wrong and what is left out while the model is built. */
export class ModelReport {
  readonly problems: StartupProblem[] = [];
  readonly warnings: string[] = [];
  readonly #faulty = new Set<string>();

  /** @param path the place in the mapping file */
  problem({ file }: Reported, path: readonly string[], message: string): void {
    this.problems.push({ where: file.locate(path), message });
  }

  /** @param path the place in the mapping file */
  warning({ file }: Reported, path: readonly string[], message: string): void {
    this.warnings.push(`${file.locate(path)}: ${message}`);
  }

  /** Says that a dataclass is missing because its own file is wrong, which is reported there. */
  addFaulty(dataclass: string): void {
    this.#faulty.add(dataclass);
  }

  isFaulty(dataclass: string): boolean {
    return this.#faulty.has(dataclass);
  }
}

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
