import type { IsFunction } from '../protocol/parse.ts';
import { notApplicable, ProtocolError, type TextPosition } from '../base/errors.ts';
import { nameHint } from '../base/names.ts';
import {
  type Dataclass,
  isRelation,
  isStored,
  type LeftOut,
  type Member,
  type Model,
  type Relation,
  type Stamp,
  type StorageAttribute,
  type Way,
} from './types.ts';
import type { ApiFunction } from './functions/function-types.ts';
import type { Mapping } from '../config/mapping.ts';
import { nameParts } from '../config/settings/fields.ts';
import {
  type Column,
  type ColumnType,
  type PhysicalSchema,
  qualifiedName,
  type Table,
} from '../schema/types.ts';
import { ROW_VERSION } from '../schema/type-rules.ts';

/** Finds tables and views as the database does: by their exact names, or else in any case where it ignores case. */
export class NameIndex {
  readonly #exact: ReadonlyMap<string, Table>;
  readonly #folded: ReadonlyMap<string, Table>;
  /** A name as it is compared. */
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

  /** The table or view that a mapping file names, where the database has it. */
  mapped(mapping: Mapping): Table | undefined {
    const named = mappedName(mapping);
    return named === null ? undefined : this.table(named.schema, named.name);
  }
}

/** Says that a schema lacks something. @param file that the schema was read from, where that is not the database @param right that its user may lack */
export function missingIn(file: string | undefined, what: string, right: 'read' | 'call'): string {
  return file === undefined
    ? `the database has no ${what} that its user may ${right}.`
    : `${file} has no ${what}.`;
}

/** The name of the table or view that a mapping file maps; null where it has none. */
export function mappedName({ table, view }: Mapping): Pick<Table, 'schema' | 'name'> | null {
  const named = table ?? view;
  return named === undefined ? null : nameParts(named);
}

/** Lists the functions of the datastore, of dataclasses and of singletons. */
export function allFunctions({ functions, dataclasses, singletons }: Model): ApiFunction[] {
  const owners = [{ functions }, ...dataclasses.values(), ...singletons.values()];
  return owners.flatMap((owner) => [...owner.functions.values()]);
}

/** Lists what is left out of the model and of its dataclasses, by its full name. */
export function allLeftOut({ dataclasses, leftOut }: Model): [name: string, one: LeftOut][] {
  const ofDataclasses = [...dataclasses.values()].flatMap((owner) =>
    [...owner.leftOut].map(([name, one]): [string, LeftOut] => [`${owner.name}.${name}`, one]),
  );
  return [...leftOut, ...ofDataclasses];
}

/** Refuses to serve what is left out. @throws ProtocolError leftOut, where it is */
export function refuseLeftOut(name: string, leftOut: LeftOut | undefined): void {
  if (leftOut === undefined) return;
  const { why, needs } = leftOut;
  const reason =
    needs === null
      ? 'the database has changed, and the gateway does not know its new form'
      : `it leads to ${needs}, which the gateway cannot serve as the database has changed`;
  const message = `${name} is not available at the moment: ${why ?? `${reason}.`}`;
  throw new ProtocolError('leftOut', message);
}

/** Finds an exposed dataclass. @throws ProtocolError noSuchDataclass with the nearest known names, leftOut */
export function findDataclass(model: Model, name: string): Dataclass {
  const dataclass = model.dataclasses.get(name);
  if (dataclass !== undefined) return dataclass;
  refuseLeftOut(name, model.leftOut.get(name));
  const hint =
    model.dataclasses.size === 0
      ? ' You may see none: /rest/$directory/currentUser shows your roles.'
      : nameHint(name, model.dataclasses.keys());
  const message = `There is no dataclass ${name}.${hint}`;
  throw new ProtocolError('noSuchDataclass', message);
}

/** The error of a name that the dataclass does not have. @throws ProtocolError leftOut for what it does not have at the moment */
export function noSuchAttribute(
  dataclass: Dataclass,
  name: string,
  at?: TextPosition,
): ProtocolError {
  refuseLeftOut(`${dataclass.name}.${name}`, dataclass.leftOut.get(name));
  const hint = nameHint(name, dataclass.members.keys());
  const message = `Dataclass ${dataclass.name} has no attribute ${name}.${hint}`;
  return new ProtocolError('noSuchAttribute', message, at);
}

/** Follows a path over relations and aliases. @param find finds what a name is, or throws */
export function wayOf(
  names: readonly string[],
  start: Dataclass,
  find: (dataclass: Dataclass, name: string) => Member,
): Way {
  const relations: Relation[] = [];
  const rest = [...names];
  let dataclass = start;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const member = find(dataclass, name);
    if (isStored(member)) return { relations, dataclass, attribute: member, properties: rest };
    if (!isRelation(member)) rest.unshift(...member.path);
    else {
      relations.push(member);
      if (rest.length > 0) dataclass = member.target;
    }
  }
  return { relations, dataclass, attribute: null, properties: [] };
}

/** The dataclass that relations of these names lead to; undefined where a name is not a relation's. */
export function relatedDataclass(
  dataclass: Dataclass | undefined,
  relations: readonly string[],
): Dataclass | undefined {
  return relations.reduce((here, name) => {
    const member = here?.members.get(name);
    return member !== undefined && isRelation(member) ? member.target : undefined;
  }, dataclass);
}

/** Finds a relation whose name is known to be one. @throws Error where there is none */
export function relationNamed({ name, members }: Dataclass, relation: string): Relation {
  const member = members.get(relation);
  if (member !== undefined && isRelation(member)) return member;
  throw new Error(`${name} has no relation ${relation}`);
}

/** Finds a member, or a protocol field such as `__KEY` as an attribute on its column, by which clients filter and sort. @throws ProtocolError */
export function findMember(dataclass: Dataclass, name: string, at: TextPosition): Member {
  const member = dataclass.members.get(name);
  if (member !== undefined) return member;
  const found = protocolField(dataclass, name);
  if (found === undefined) throw noSuchAttribute(dataclass, name, at);
  if (typeof found === 'string') throw notApplicable(found, at);
  return found;
}

/** A protocol field as an attribute, or why it cannot be compared; undefined for any other name. */
function protocolField(
  { name, key, stamp, timestamp, isTimestampSeen }: Dataclass,
  wanted: string,
): StorageAttribute | string | undefined {
  switch (wanted) {
    case '__KEY': {
      const [only, ...more] = key;
      if (only === undefined) return `${name} has no key.`;
      const parts = key.map((part) => part.name).join(' and ');
      return more.length === 0
        ? only
        : `The __KEY of ${name} has several parts: name ${parts} instead.`;
    }
    case '__STAMP':
      return stampField(name, stamp);
    case '__GlobalStamp':
      return stamp.kind === 'rowversion'
        ? field('__GlobalStamp', stamp.column, ROW_VERSION)
        : `${name} does not keep the __GlobalStamp of its entities: only a rowversion column of SQL Server does.`;
    case '__TIMESTAMP':
      return timestamp !== null && isTimestampSeen
        ? field('__TIMESTAMP', timestamp)
        : `${name} has no __TIMESTAMP.`;
    default:
      return undefined;
  }
}

function stampField(name: string, stamp: Stamp): StorageAttribute | string {
  switch (stamp.kind) {
    case 'counter':
      return field('__STAMP', stamp.column);
    case 'rowversion':
      return field('__STAMP', stamp.column, ROW_VERSION);
    case 'xmin':
      return `The __STAMP of ${name} is xmin, which no index can serve.`;
    case 'hash':
      return `The __STAMP of ${name} is a hash that the gateway makes of each entity: the database cannot compare it.`;
    case 'none':
      return `${name} has no stamp: its __STAMP is the same for all entities.`;
  }
}

function field(
  name: string,
  column: Column,
  columnType: ColumnType = column.type,
): StorageAttribute {
  return {
    kind: 'storage',
    name,
    description: null,
    column,
    columnType,
    type: name === '__TIMESTAMP' ? 'date' : 'long64',
    trim: false,
    ignoreCase: false,
    simpleDate: false,
    unique: false,
    indexed: false,
    readOnly: 'the gateway sets it',
    allowedValues: null,
  };
}

/** Tells the functions of a model from the attributes that a path may end in. */
export function functionsOf(model: Model): IsFunction {
  return (name, names) => {
    if (name === null) return hasFunction(model, names[0] ?? '');
    const dataclass = relatedDataclass(model.dataclasses.get(name), names.slice(0, -1));
    return dataclass !== undefined && hasFunction(dataclass, names.at(-1) ?? '');
  };
}

/** Whether a name is a function's, be it left out. */
function hasFunction(
  { functions, leftOut }: Pick<Model, 'functions' | 'leftOut'>,
  name: string,
): boolean {
  return functions.has(name) || leftOut.get(name)?.isFunction === true;
}
