import { digitsOf, plainValue } from './json.ts';

/** A form of values that JSON alone does not tell, or that needs an address of its own. */
export type ValueForm = 'bigint' | 'decimal' | 'image' | 'blob';

/** The form of values by the names of attributes or columns; others are as JSON has them. */
export type ValueForms = Readonly<Record<string, ValueForm>>;

/** What the client knows of a function: the dataclass of the entities that it answers, or the forms in its result. */
export interface FunctionDescription {
  readonly entities?: string;
  readonly forms?: ValueForms;
}

/** What the client knows of a dataclass when it runs. */
export interface DataclassDescription {
  /** The attributes of its key, in order. */
  readonly key: readonly string[];
  readonly forms: ValueForms;
  /** The dataclasses that its relations lead to. */
  readonly relations: Readonly<Record<string, string>>;
  readonly functions: Readonly<Record<string, FunctionDescription>>;
}

/** The types of a model. */
export interface ModelTypes {
  readonly dataclasses: object;
  readonly functions: object;
  readonly singletons: object;
}

/** What the client knows of a model when it runs, and, for the compiler only, its types. */
export interface ModelDescription<Types extends ModelTypes = ModelTypes> {
  readonly dataclasses: Readonly<Record<string, DataclassDescription>>;
  readonly functions: Readonly<Record<string, FunctionDescription>>;
  readonly singletons: Readonly<Record<string, Readonly<Record<string, FunctionDescription>>>>;
  readonly types?: Types;
}

/** Gives values of an answer their forms, in place. @param name the dataclass of the entities in it */
export function readEntities(value: unknown, name: string, model: ModelDescription): unknown {
  const dataclass = model.dataclasses[name];
  if (dataclass === undefined || typeof value !== 'object' || value === null) {
    return plainValue(value);
  }
  if (Array.isArray(value)) {
    for (const item of value) readEntities(item, name, model);
    return value;
  }
  const entity = value as Record<string, unknown>;
  for (const [member, found] of Object.entries(entity)) {
    const target = ownOf(dataclass.relations, member);
    entity[member] =
      member === '__ENTITIES'
        ? readEntities(found, name, model)
        : target === undefined
          ? readValue(found, ownOf(dataclass.forms, member))
          : readEntities(found, target, model);
  }
  return entity;
}

/** Gives the values of rows, or of one, their forms, in place. */
export function readRows(value: unknown, forms: ValueForms): unknown {
  if (typeof value !== 'object' || value === null) return plainValue(value);
  if (Array.isArray(value)) {
    for (const row of value) readRows(row, forms);
    return value;
  }
  const row = value as Record<string, unknown>;
  for (const [column, found] of Object.entries(row)) {
    row[column] = readValue(found, ownOf(forms, column));
  }
  return row;
}

/** A value in its form. The gateway may send numbers that a double rounds as texts (`bigNumbersAsStrings`). */
export function readValue(value: unknown, form: ValueForm | undefined): unknown {
  if (form !== 'bigint' && form !== 'decimal') return plainValue(value);
  const digits = digitsOf(value) ?? value;
  if (typeof digits !== 'string') return digits;
  return form === 'bigint' ? BigInt(digits) : digits;
}

/** The form of the values at a path of relations and an attribute. */
export function formAt(path: string, name: string, model: ModelDescription): ValueForm | undefined {
  const [own = '', ...more] = path.split('.');
  const dataclass = model.dataclasses[name];
  if (dataclass === undefined) return undefined;
  const target = ownOf(dataclass.relations, own);
  if (target !== undefined) return formAt(more.join('.'), target, model);
  return more.length === 0 ? ownOf(dataclass.forms, own) : undefined;
}

/** A member of a record that is its own. */
export function ownOf<Value>(
  record: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
