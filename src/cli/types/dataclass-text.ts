import {
  attributeOf,
  type Dataclass,
  isRelation,
  isStored,
  type Member,
  type Relation,
  relationsOf,
} from '../../model/types.ts';
import type { ColumnType } from '../../schema/types.ts';
import { functionDescriptions, functionMembers, type TypeNames } from './function-text.ts';
import {
  attributeValue,
  docComment,
  objectType,
  textLiteral,
  type TypeMember,
  union,
  type ValueType,
} from './typescript.ts';
import {
  isCertain,
  isCreated,
  isUpdated,
  requiredMembers,
  writableMembers,
} from '../../model/writable.ts';

/** Prints the types of a dataclass. */
export function dataclassText(dataclass: Dataclass, names: TypeNames): string {
  const own = typeName(dataclass, names);
  const doc = docComment([dataclass.description ?? '']);
  const text = `${doc}export interface ${own}${heritage(dataclass)} ${objectType(readMembers(dataclass))}\n`;
  return `${text}\n${inputText(dataclass, own, names)}${typesText(dataclass, own, names)}`;
}

/** What the client knows of the dataclass when it runs. */
export function dataclassDescription({ key, members, functions }: Dataclass): object {
  const forms: [string, string][] = [];
  const relations: [string, string][] = [];
  for (const member of members.values()) {
    if (isRelation(member)) relations.push([member.name, member.target.name]);
    else {
      const { form } = attributeValue(attributeOf(member));
      if (form !== undefined) forms.push([member.name, form]);
    }
  }
  return {
    key: key.map(({ name }) => name),
    forms: Object.fromEntries(forms),
    relations: Object.fromEntries(relations),
    functions: functionDescriptions(functions.values()),
  };
}

function typeName({ name }: Dataclass, names: TypeNames): string {
  return names.get(name) ?? name;
}

/** The fields of the protocol that its entities have. */
function heritage({ key, timestamp, isTimestampSeen }: Dataclass): string {
  const fields = [
    ...(key.length > 0 ? ['Keyed'] : []),
    'Stamped',
    ...(timestamp !== null && isTimestampSeen ? ['Timed'] : []),
  ];
  return ` extends ${fields.join(', ')}`;
}

function readMembers(dataclass: Dataclass): TypeMember[] {
  return Array.from(dataclass.members.values(), (member) => ({
    name: member.name,
    type: readType(member, dataclass),
    doc: [member.description ?? '', ...limits(member)],
  }));
}

function readType(member: Member, dataclass: Dataclass): string {
  if (member.kind === 'relatedEntities') return 'DeferredEntities';
  if (isRelation(member)) return orNull('DeferredEntity', !isCertain(member, dataclass));
  const { read } = attributeValue(attributeOf(member));
  if (!isStored(member)) return orNull(read, true);
  const isKey = dataclass.key.some(({ name }) => name === member.name);
  return orNull(read, member.column.nullable && !isKey);
}

/** What the type does not say of an attribute. */
function limits(member: Member): string[] {
  if (!isStored(member) || member.columnType.kind !== 'text') return [];
  const { maxLength } = member.columnType;
  return maxLength === null ? [] : [`At most ${maxLength} characters.`];
}

/** Prints the types of what is saved. */
function inputText(dataclass: Dataclass, own: string, names: TypeNames): string {
  if (!isCreated(dataclass) && !isUpdated(dataclass)) return '';
  const members = writableMembers(dataclass).map((member) => ({
    name: member.name,
    type: isRelation(member) ? relatedInput(member, names) : attributeInput(member),
    optional: true,
    doc: [member.description ?? '', ...limits(member)],
  }));
  const input = `export interface ${own}Input ${objectType(members)}\n\n`;
  const required = quoted([...requiredMembers(dataclass)]);
  const insert = `/** A new entity. \`Given\` are the members that the entity which holds it gives it. */
export type ${own}Insert<Given extends keyof ${own}Input = never> = WithRequired<
  ${own}Input,
  Exclude<${union(required)}, Given>
>;\n\n`;
  const key = dataclass.key.map(({ name }) => name);
  const given = members.filter(({ name }) => key.includes(name)).map(({ name }) => name);
  const changed = given.length === 0 ? `${own}Input` : `Omit<${own}Input, ${union(quoted(given))}>`;
  const stamp = dataclass.requireStamp ? 'Stamped' : 'Partial<Stamped>';
  const update = `export type ${own}Update = ${changed} & Keyed & ${stamp};\n\n`;
  return `${input}${isCreated(dataclass) ? insert : ''}${isUpdated(dataclass) ? update : ''}`;
}

function attributeInput(attribute: Parameters<typeof attributeValue>[0]): string {
  return orNull(attributeValue(attribute).write, attribute.column.nullable);
}

function relatedInput({ kind, target, hops, inverse }: Relation, names: TypeNames): string {
  const own = typeName(target, names);
  const isInverseGiven =
    kind === 'relatedEntities' &&
    inverse !== null &&
    writableMembers(target).some(({ name }) => name === inverse);
  const given = isInverseGiven ? `<${textLiteral(inverse)}>` : '';
  const created = isCreated(target) ? `${own}Insert${given}` : 'never';
  if (kind === 'relatedEntities') {
    return `ToManyInput<${created}, ${isUpdated(target) ? `${own}Update` : 'never'}>`;
  }
  const isNullable = hops[0].from.some(({ nullable }) => nullable);
  return orNull(`ToOneInput<${keyType(target)}, ${created}>`, isNullable);
}

/** Prints all types of a dataclass under one name, for the client. */
function typesText(dataclass: Dataclass, own: string, names: TypeNames): string {
  const relations = relationsOf(dataclass).map(({ name, target }) => ({
    name,
    type: `${typeName(target, names)}Types`,
  }));
  const members = [
    { name: 'name', type: textLiteral(dataclass.name) },
    { name: 'entity', type: own },
    { name: 'key', type: keyType(dataclass) },
    { name: 'insert', type: isCreated(dataclass) ? `${own}Insert` : 'never' },
    { name: 'update', type: isUpdated(dataclass) ? `${own}Update` : 'never' },
    { name: 'relations', type: objectType(relations, '  ') },
    { name: 'kinds', type: objectType(kindMembers(dataclass), '  ') },
    {
      name: 'functions',
      type: objectType(functionMembers(dataclass.functions.values(), names, '    '), '  '),
    },
  ];
  return `export interface ${own}Types ${objectType(members)}\n`;
}

/** The kinds of the attributes that groups compute with, which the types of their values do not tell from texts. */
function kindMembers({ members }: Dataclass): TypeMember[] {
  return [...members.values()].flatMap((member): TypeMember[] => {
    if (isRelation(member)) return [];
    const kind = KINDS[attributeOf(member).columnType.kind];
    return kind === undefined ? [] : [{ name: member.name, type: textLiteral(kind) }];
  });
}

const KINDS: Partial<Record<ColumnType['kind'], string>> = {
  integer: 'number',
  decimal: 'number',
  float: 'number',
  date: 'date',
  timestamp: 'moment',
  uuid: 'uuid',
};

/** The type of a key in a request. */
function keyType({ key }: Dataclass): string {
  const [only, ...more] = key.map((part): [string, ValueType] => [part.name, attributeValue(part)]);
  if (only === undefined) return 'never';
  if (more.length === 0) return only[1].write;
  const parts = [only, ...more].map(([name, { write }]) => `readonly ${name}: ${write}`);
  return `{ ${parts.join('; ')} }`;
}

function orNull(type: string, isNullable: boolean): string {
  return isNullable ? `${type} | null` : type;
}

function quoted(names: readonly string[]): string[] {
  return names.map((name) => textLiteral(name));
}
