import { ProtocolError } from '../../base/errors.ts';
import type { DatabaseRefusal, ViolatedRule, Violation } from '../../database/errors.ts';
import { isStored, type Dataclass, type Model } from '../../model/types.ts';
import { expectedOf, oneOfValues } from '../convert/conversion-error.ts';
import { DENIALS } from '../../plan/write/rights.ts';
import { isUnfilled } from '../../schema/type-rules.ts';
import type { Check, Column, ColumnType } from '../../schema/types.ts';

/** The change that a statement makes. */
export type WriteKind = 'create' | 'update' | 'delete';

interface RefusedChange {
  readonly kind: WriteKind;
  readonly dataclass: Dataclass;
  readonly model: Model;
  /** Whether the user may know columns that the API does not expose. */
  readonly showsColumns?: boolean;
  /** The columns that were given values, where they are known: where the engine names no column, it is one of them. */
  readonly given?: readonly Column[];
}

/** Explains in the model's words which rule of the database was broken. The engine's own words stay in the cause, which is logged with statuses from 500 on. */
export function explainRefusal(refusal: DatabaseRefusal, change: RefusedChange): ProtocolError {
  const { kind, dataclass, showsColumns = false } = change;
  const { rule, names, text } = refusal.violation;
  const columns = dataclass.table.columns.filter(({ name }) => names.includes(name));
  const named = columns.length > 0 ? columns : columnsInQuestion(change, rule);
  const members = memberNames(
    dataclass,
    named.map(({ name }) => name),
  );
  const mapped = mappedMessage(change, refusal.violation);
  const refused = (
    errorName: ProtocolError['errorName'],
    message: string,
    about: readonly string[] = members,
  ): ProtocolError => {
    const error = new ProtocolError(errorName, mapped ?? message, undefined, refusal);
    const [only, ...more] = about;
    return only === undefined || more.length > 0 ? error : error.about(only);
  };
  const { name } = dataclass;
  const one = oneOf(members) ?? `A value of ${name}`;
  switch (rule) {
    case 'unique':
      return refused('duplicateKey', ...duplicate(dataclass, names));
    case 'constraint':
      return refused(...constraint(change, names));
    case 'notNull':
      return refused(
        'mandatoryMissing',
        members.length === 0
          ? `${name} has a mandatory value that the API does not expose${columnsIn(showsColumns ? named : [])}: its entities cannot be saved without it.`
          : `${one} is mandatory: it needs a value.`,
      );
    case 'tooLong':
      return refused('tooLong', `${one} is longer than the database can hold.`);
    case 'outOfRange':
      return refused('tooLarge', `${one} is outside of what the database can hold.`);
    case 'badValue':
      return refused(
        'wrongType',
        `${one} is not of the kind that the database holds there.${expected(named, dataclass)}`,
      );
    case 'unencodable':
      return refused(
        'wrongType',
        `${one} holds characters that the encoding of the database lacks.`,
      );
    case 'generated':
      return refused('readOnlyAttribute', `${one} is read-only: the database sets it.`);
    case 'notUpdatable':
      return refused(
        'notSaved',
        `${name} stands on a view or table that cannot be changed in this way.`,
      );
    case 'notAllowed':
      return refused(
        DENIALS[kind],
        `The database does not let entities of ${name} be ${kind}d in this way: a right is lacking there, or a policy stands against it.`,
      );
    case 'outdated':
      return ProtocolError.of('schemaChanged', refusal);
    case 'notComputable':
      return refused('notComputable', refusal.message, names);
    case 'exhausted':
      return refused(
        'notSaved',
        `The database has no more numbers for new entities of ${name}: a sequence or an identity has reached its end.`,
        [],
      );
    case 'raised':
      return refused(
        'raised',
        text ?? `A rule of the database’s own programs refused the change of ${name}.`,
      );
    case 'failed':
      return refused('databaseUnable', refusal.message);
    case 'other':
      return refused('refusedByDatabase', `The database refused to ${kind} the entity of ${name}.`);
  }
}

function columnsIn(columns: readonly Column[]): string {
  return columns.map(({ name }) => `, in column ${name}`).join('');
}

/** The message of the mapping file for the constraint that was broken. A delete breaks none of the table's own, but foreign keys that lead to it. */
function mappedMessage(
  { kind, dataclass }: RefusedChange,
  { rule, names }: Violation,
): string | undefined {
  if (kind === 'delete' || (rule !== 'unique' && rule !== 'constraint')) return undefined;
  const name = names.find((candidate) => dataclass.messages.has(candidate));
  return name === undefined ? undefined : dataclass.messages.get(name);
}

/** The types whose values the gateway does not check completely, by the rule that they may break. */
const BREAKING_TYPES: Readonly<Partial<Record<ViolatedRule, readonly ColumnType['kind'][]>>> = {
  badValue: ['opaque', 'json'],
  outOfRange: ['decimal', 'timestamp', 'opaque'],
  tooLong: ['text', 'binary', 'opaque'],
  unencodable: ['text', 'json', 'opaque'],
};

/** The columns that a refusal may be about which names none: of those that are given values, or, of a domain that takes no null, of all others. */
function columnsInQuestion(
  { kind, dataclass: { table }, given = [] }: RefusedChange,
  rule: ViolatedRule,
): readonly Column[] {
  if (rule !== 'notNull') {
    return given.filter(({ type }) => BREAKING_TYPES[rule]?.includes(type.kind) ?? false);
  }
  if (kind !== 'create') return [];
  return table.columns.filter(
    (column) => isUnfilled(column) && !given.some(({ name }) => name === column.name),
  );
}

/** What each column in question takes, alone or in arrays: the values of an enum, or what another type reads. */
function expected(columns: readonly Column[], dataclass: Dataclass): string {
  const texts = columns.flatMap((column) => {
    const type = column.type.kind === 'json' ? (column.type.items ?? column.type) : column.type;
    const [member] = memberNames(dataclass, [column.name]);
    if (member === undefined || (columns.length === 1 && type.kind !== 'opaque')) return [];
    return columns.length === 1 ? expectedOf(type) : `${expectedOf(type)} for ${member}`;
  });
  return texts.length === 0 ? '' : ` Expected ${texts.join(', and ')}.`;
}

function oneOf(members: readonly string[]): string | null {
  const [first, ...others] = members;
  if (first === undefined) return null;
  return others.length === 0 ? first : `One of ${members.join(', ')}`;
}

/** The attributes on columns, or else the to-one relations: `Employee.email`. */
function memberNames(dataclass: Dataclass, columns: readonly string[]): string[] {
  const members = [...dataclass.members.values()];
  const found = columns.map(
    (column) =>
      members.find((member) => isStored(member) && member.column.name === column) ??
      members.find(
        (member) =>
          member.kind === 'relatedEntity' &&
          member.hops[0].from.some(({ name }) => name === column),
      ),
  );
  const names = found.flatMap((member) => (member === undefined ? [] : [member.name]));
  return [...new Set(names)].map((name) => `${dataclass.name}.${name}`);
}

/** The message for a duplicate in a key or unique index, and the attributes that it is about. */
function duplicate(
  dataclass: Dataclass,
  names: readonly string[],
): [message: string, about: readonly string[]] {
  const { table, name, key } = dataclass;
  const index = table.indexes.find((candidate) => names.includes(candidate.name));
  const members = memberNames(dataclass, index?.columns ?? []);
  const isKey =
    index !== undefined &&
    key.length > 0 &&
    key.every(({ column }) => index.columns.includes(column.name));
  if (isKey) return [`There is an entity of ${name} with this key already.`, members];
  const message =
    members.length === 0
      ? `There is an entity of ${name} with these values already, and they have to be unique.`
      : `${members.join(', ')} has to be unique, and another entity has this value already.`;
  return [message, members];
}

/** The error for a foreign key of the table, a check, or a foreign key of another table that refers to this one. */
function constraint(
  { kind, dataclass, model }: RefusedChange,
  names: readonly string[],
): [errorName: ProtocolError['errorName'], message: string, about: readonly string[]] {
  const { table, name } = dataclass;
  const own = table.foreignKeys.find((foreignKey) => names.includes(foreignKey.name));
  if (own !== undefined && kind !== 'delete') {
    const members = relationNames(dataclass, own.columns);
    const what = members.length === 0 ? `A value of ${name}` : members.join(', ');
    return ['brokenReference', `${what} refers to an entity that does not exist.`, members];
  }
  const check = table.checks?.find((candidate) => names.includes(candidate.name));
  if (check !== undefined) {
    const members = memberNames(dataclass, check.columns);
    const what = members.length === 0 ? `The entity of ${name}` : members.join(', ');
    const message = `${what} breaks a rule that the database sets for it.`;
    return ['brokenRule', message + allowedBy(check, dataclass), members];
  }
  for (const other of model.dataclasses.values()) {
    const foreignKey = other.table.foreignKeys.find(
      (candidate) =>
        names.includes(candidate.name) &&
        candidate.targetSchema === table.schema &&
        candidate.targetTable === table.name,
    );
    if (foreignKey === undefined) continue;
    // The user may not see the entities that refer to it.
    if (other.where !== null) break;
    const [member] = relationNames(other, foreignKey.columns);
    if (member === undefined) break;
    return ['brokenReference', `The entity of ${name} is still referred to by ${member}.`, []];
  }
  return kind === 'delete'
    ? ['brokenReference', `The entity of ${name} is still referred to by others.`, []]
    : ['brokenRule', `The entity of ${name} breaks a rule of the database.`, []];
}

/** The values that a check allows for its attribute, as the end of a message; nothing where it does not list them. */
function allowedBy({ columns: [name], values }: Check, { members }: Dataclass): string {
  if (values === undefined) return '';
  const all = [...members.values()].filter(isStored);
  const allowed = all.find(({ column }) => column.name === name)?.allowedValues ?? null;
  return allowed === null ? '' : ` Expected ${oneOfValues(allowed)}.`;
}

/** The relation on exactly these columns, or else the attributes on them. */
function relationNames(dataclass: Dataclass, columns: readonly string[]): string[] {
  for (const member of dataclass.members.values()) {
    if (member.kind !== 'relatedEntity') continue;
    const [{ from }] = member.hops;
    if (from.length === columns.length && from.every(({ name }) => columns.includes(name))) {
      return [`${dataclass.name}.${member.name}`];
    }
  }
  return memberNames(dataclass, columns);
}
