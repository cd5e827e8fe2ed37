import type { ApiFunction, Catalog, FunctionParameter } from '../rest/catalog.ts';
import type { Json } from '../rest/json.ts';
import { dataclassPath, entityPath, memberPath, withParameters } from '../rest/url.ts';
import { inputKind, valueOf } from '../entity/field-values.ts';
import type { TextKind } from '../entity/value-input.tsx';

/** A function, and where it is called. */
export interface CallableFunction {
  /** As roles and messages name it: `Employee.raise`, `Prices.quote`, `closeMonth`. */
  readonly fullName: string;
  readonly called: ApiFunction;
  /** The dataclass on which it is called; null for those of the datastore and of singletons. */
  readonly dataclass: string | null;
  /** The path of a function that is called on no entities. */
  readonly path: string;
}

/** All functions that the user may call, by name. */
export function callableFunctions(catalog: Catalog): CallableFunction[] {
  const ofStore = catalog.functions.map((called) => ({
    fullName: called.name,
    called,
    dataclass: null,
    path: memberPath('/rest/$catalog', called.name),
  }));
  const ofSingletons = [...catalog.singletons].flatMap(([singleton, functions]) =>
    functions.map((called) => ({
      fullName: `${singleton}.${called.name}`,
      called,
      dataclass: null,
      path: memberPath(memberPath('/rest/$singleton', singleton), called.name),
    })),
  );
  const ofDataclasses = [...catalog.dataclasses.values()].flatMap(({ name, functions }) =>
    functions.map((called) => ({
      fullName: `${name}.${called.name}`,
      called,
      dataclass: name,
      path: memberPath(dataclassPath(name), called.name),
    })),
  );
  return [...ofStore, ...ofSingletons, ...ofDataclasses].sort((one, other) =>
    one.fullName.localeCompare(other.fullName),
  );
}

/** What a function is called on: an entity by its key, or the entities that a filter finds. */
export interface CallTarget {
  readonly key: string;
  readonly isComposite: boolean;
  readonly filter: string;
}

/** The URL of a call. */
export function callUrl(
  { path, dataclass, called }: CallableFunction,
  { key, isComposite, filter }: CallTarget,
): string {
  if (dataclass !== null && key !== '') {
    return memberPath(entityPath(dataclass, key, isComposite), called.name);
  }
  return withParameters(path, { $filter: filter === '' ? undefined : filter });
}

/** The input of a parameter; bytes are given as base64. */
export function parameterKind({ type, maxLength, hasTime }: FunctionParameter): TextKind {
  const kind = inputKind(type, maxLength, hasTime);
  return kind === 'blob' || kind === 'image' ? 'text' : kind;
}

/** The values of a call, or why the one at an index is none. */
export type CallValues =
  | { readonly ok: true; readonly values: readonly Json[] }
  | { readonly ok: false; readonly index: number; readonly message: string };

/** Reads the texts of a form's inputs; null is null. Optional parameters at the end that are null are left out. */
export function callValues(
  texts: readonly (string | null)[],
  parameters: readonly FunctionParameter[],
): CallValues {
  const values: Json[] = [];
  for (const [index, parameter] of parameters.entries()) {
    const read = valueOf(texts[index] ?? null, parameterKind(parameter));
    if (!read.ok) return { ok: false, index, message: read.message };
    values.push(read.value);
  }
  const last = parameters.findLastIndex(
    ({ optional }, index) => !optional || values[index] !== null,
  );
  return { ok: true, values: values.slice(0, last + 1) };
}
