import { nameHint } from '../base/names.ts';
import type { Mapping, MappingFile } from '../config/mapping.ts';
import { type Column, findNamed, qualifiedName, type Table } from '../schema/types.ts';
import type { Dataclass, Hop, Member, ModelSettings, Relation } from './types.ts';
import type { StartupProblem } from '../base/errors.ts';
import type { YamlFile } from '../config/document/yaml.ts';
import type { ApiFunction } from './functions/function-types.ts';

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

/** A dataclass whose relations are still to come. */
export interface DataclassDraft {
  readonly context: MappingContext;
  readonly dataclass: Dataclass;
  /** The same map as `dataclass.members`, open for writing while the model is built. */
  readonly members: Map<string, Member>;
  /** The same map as `dataclass.functions`. */
  readonly functions: Map<string, ApiFunction>;
}

/** The dataclasses that are being built, by name. */
export type Drafts = ReadonlyMap<string, DataclassDraft>;

/** What makes a relation; the rest follows from it. */
interface NewRelation {
  readonly name: string;
  readonly target: Dataclass;
  readonly hops: readonly Hop[];
  readonly inverse?: string;
  readonly through?: readonly string[];
}

/** Adds a relation to a dataclass, or puts it in the place of what has its name; it is to many where one of its hops is. */
export function addRelation(
  { members }: DataclassDraft,
  { name, target, hops, inverse, through }: NewRelation,
): void {
  const [hop, ...more] = hops;
  const columns = new Set(hop === undefined || hop.toMany || more.length > 0 ? [] : hop.from);
  const relation: Relation = {
    kind: hops.some(({ toMany }) => toMany) ? 'relatedEntities' : 'relatedEntity',
    name,
    target,
    hops,
    inverse: inverse ?? null,
    foreignKey: [...members.values()]
      .filter((member) => member.kind === 'storage' && columns.has(member.column))
      .map((member) => member.name),
    through: through ?? null,
    readOnly: false,
  };
  members.set(name, relation);
}
