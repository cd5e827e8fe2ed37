import { ExactNumber, isObject, simplestNumber } from './json.ts';
import type { ModelTypes } from './types.ts';

/** The form of a value that JSON alone does not tell, or of the members of an object; undefined where it is as JSON has it. */
export type Form = 'bigint' | 'decimal' | 'image' | Members | undefined;

/** The members of an object: the forms of values, and the dataclasses that relations lead to. */
export interface Members {
  readonly forms: Readonly<Record<string, Form>>;
  readonly relations?: Readonly<Record<string, string>>;
}

/** Functions whose results are not as JSON has them: the form of a value, or the dataclass of entities. */
export type FunctionDescriptions = Readonly<
  Record<string, { readonly result?: Form; readonly entities?: string }>
>;

/** A dataclass as the client knows it when it runs. */
export interface DataclassDescription extends Members {
  /** The attributes of its key, in order. */
  readonly key: readonly string[];
  readonly functions: FunctionDescriptions;
}

/** A model as the client knows it when it runs, and, for the compiler only, its types. */
export interface ModelDescription<Types extends ModelTypes = ModelTypes> {
  readonly dataclasses: Readonly<Record<string, DataclassDescription>>;
  readonly functions: FunctionDescriptions;
  readonly singletons: Readonly<Record<string, FunctionDescriptions>>;
  readonly types?: Types;
}

/** Gives the values of an answer their forms, in place. A page and a list have the form of their items. */
export function inForm(value: unknown, form: Form, model: ModelDescription): unknown {
  if (!isObject(value)) return valueInForm(value, form);
  for (const [name, member] of Object.entries(value)) {
    const isItem = Array.isArray(value) || name === '__ENTITIES' || name === '__GROUPS';
    value[name] = inForm(member, isItem ? form : memberForm(form, name, model), model);
  }
  return value;
}

/** The gateway may send numbers that a double rounds as texts (`bigNumbersAsStrings`). */
function valueInForm(value: unknown, form: Form): unknown {
  const isNumber = typeof value === 'number' || value instanceof ExactNumber;
  if (isNumber || typeof value === 'string') {
    if (form === 'bigint') return BigInt(String(value));
    if (form === 'decimal') return String(value);
  }
  return value instanceof ExactNumber ? simplestNumber(value) : value;
}

/** The form of a member of an object. */
export function memberForm(form: Form, name: string, model: ModelDescription): Form {
  if (typeof form !== 'object') return undefined;
  return model.dataclasses[form.relations?.[name] ?? ''] ?? form.forms[name];
}
