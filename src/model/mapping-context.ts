import { nameHint } from '../base/names.ts';
import type { Mapping, MappingFile } from '../config/mapping.ts';
import { type Column, findNamed, qualifiedName, type Table } from '../schema/types.ts';
import type { Dataclass, Hops, LeftOut, Member, ModelSettings, Relation } from './types.ts';
import type { StartupProblem } from '../base/errors.ts';
import type { YamlFile } from '../config/document/yaml.ts';
import type { ApiFunction } from './functions/function-types.ts';

/** A mapping file of any kind, for the positions of its problems. */
export interface Reported {
  readonly file: YamlFile;
}

/** Collects problems and warnings while the model is built. */
export class ModelReport {
  readonly problems: StartupProblem[] = [];
  readonly warnings: string[] = [];
  /** What is wrong or lacking, by its full name: a dataclass, a function (`Employee.raise`), a member that leads to a dataclass that is wrong. */
  readonly faults = new Map<string, LeftOut>();
  readonly #dataclasses = new Map<YamlFile, string>();

  /** Says which dataclass a file maps. */
  addFile({ file }: Reported, dataclass: string): void {
    this.#dataclasses.set(file, dataclass);
  }

  /** Reports a problem. @param path of the setting in the mapping file @returns null, for callers that have nothing to return */
  problem({ file }: Reported, path: readonly string[], message: string): null {
    const where = file.locate(path);
    this.problems.push({ where, message });
    const dataclass = this.#dataclasses.get(file);
    const isWhole = dataclass !== undefined && path[0] !== 'functions';
    const name = isWhole ? dataclass : this.#nameOf(file, path);
    const { why = null } = this.faults.get(name) ?? {};
    const text = `${where}: ${message}`;
    const all = why === null ? text : `${why}; ${text}`;
    this.faults.set(name, { why: all, needs: null, isFunction: !isWhole });
    return null;
  }

  warning({ file }: Reported, path: readonly string[], message: string): void {
    this.warnings.push(`${file.locate(path)}: ${message}`);
  }

  /** Finds a dataclass that a file names; null where there is none, which is reported, here or at its own file. */
  dataclass(
    name: string,
    drafts: Drafts,
    { file }: Reported,
    path: readonly string[],
  ): DataclassDraft | null {
    const draft = drafts.get(name);
    if (draft !== undefined) return draft;
    if (!this.faults.has(name)) {
      const hint = nameHint(name, drafts.keys());
      return this.problem({ file }, path, `there is no dataclass ${name}.${hint}`);
    }
    const isFunction = path[0] !== 'relations';
    this.faults.set(this.#nameOf(file, path), { why: null, needs: name, isFunction });
    return null;
  }

  /** The full name of the member or function whose setting has a path. */
  #nameOf(file: YamlFile, [group, name = '', , member]: readonly string[]): string {
    const owner = this.#dataclasses.get(file);
    if (owner !== undefined) return `${owner}.${name}`;
    return group === 'singletons' && member !== undefined ? `${name}.${member}` : name;
  }
}

/** A mapping file while its dataclass is built, with its table, the settings, and the report of its problems. */
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

  /** Reports a problem. @returns null, as {@link ModelReport.problem} */
  problem(path: readonly string[], message: string): null {
    return this.report.problem(this.source, path, message);
  }

  warning(path: readonly string[], message: string): void {
    this.report.warning(this.source, path, message);
  }

  /** Finds a column that the file names, of its own table or of another one; null where there is none, which is reported. */
  column(name: string, path: readonly string[], table = this.table): Column | null {
    const { columns, leftOut = [], ignoreCase = false } = table;
    const nameOf = (column: { readonly name: string }): string => column.name;
    const found = findNamed(columns, name, nameOf, ignoreCase);
    if (found !== undefined) return found;
    const why = findNamed(leftOut, name, nameOf, ignoreCase)?.why;
    return this.problem(
      path,
      why === undefined
        ? `${qualifiedName(table)} has no column ${name}.${nameHint(name, columns.map(nameOf))}`
        : `${qualifiedName(table)}: column ${name} is left out: ${why}`,
    );
  }
}

/** A dataclass before its relations are added. */
export interface DataclassDraft {
  readonly context: MappingContext;
  readonly dataclass: Dataclass;
  /** The same map as `dataclass.members`, open for writing while the model is built. */
  readonly members: Map<string, Member>;
  /** The same map as `dataclass.functions`. */
  readonly functions: Map<string, ApiFunction>;
  /** The same map as `dataclass.leftOut`. */
  readonly leftOut: Map<string, LeftOut>;
}

/** The dataclasses that are being built, by name. */
export type Drafts = ReadonlyMap<string, DataclassDraft>;

/** Adds a relation to a dataclass, or replaces the member of its name; it is to many where one of its hops is. */
export function addRelation(
  { members }: DataclassDraft,
  name: string,
  target: Dataclass,
  hops: Hops,
  {
    inverse = null,
    through = null,
    description = null,
  }: Partial<Pick<Relation, 'inverse' | 'through' | 'description'>> = {},
): void {
  const [hop, ...more] = hops;
  const columns = new Set(hop.toMany || more.length > 0 ? [] : hop.from);
  members.set(name, {
    kind: hops.some(({ toMany }) => toMany) ? 'relatedEntities' : 'relatedEntity',
    name,
    description,
    target,
    hops,
    inverse,
    foreignKey: [...members.values()]
      .filter((member) => member.kind === 'storage' && columns.has(member.column))
      .map((member) => member.name),
    through,
    readOnly: null,
  });
}
