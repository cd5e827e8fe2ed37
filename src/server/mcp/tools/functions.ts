import { hash } from 'node:crypto';
import { ProtocolError } from '../../../base/errors.ts';
import {
  anyOf,
  objectOf,
  type JsonObject as Schema,
  NULL,
  TEXT,
} from '../../../contract/json-schema.ts';
import { typeSchema, type ValueSettings } from '../../../contract/value-schemas.ts';
import { naturalType } from '../../../model/attributes.ts';
import type { ApiFunction, AppliesTo } from '../../../model/functions/function-types.ts';
import type { Dataclass, Model } from '../../../model/types.ts';
import { isJsonObject, type JsonValue } from '../../../protocol/body/json.ts';
import { jsonText } from '../../../protocol/body/json-writer.ts';
import { dataclassPath, entityPath, escaped, type RestCall, restUrl } from '../rest-call.ts';
import { listsOf, pageSchemas, textOf, windowOf } from './reading.ts';
import { type Arguments, argumentSchema, CHANGES, keySchema, READS, type Tool } from './tool.ts';

/** A function, and whose it is. */
interface Owned {
  readonly called: ApiFunction;
  /** Its path in a URL, for those that are not called on entities. */
  readonly path: string;
  /** Null for a function of the datastore or of a singleton. */
  readonly dataclass: Dataclass | null;
}

/** The longest name of a tool or of an argument that clients accept. */
const LONGEST_NAME = 64;

/** The names of the tools of functions: clients accept letters, digits, `_` and `-`. A name is the same for everybody, whatever else they may call. */
export function functionToolNames(model: Model): ReadonlyMap<ApiFunction, string> {
  return new Map(
    functionsOf(model).map(({ called }) => {
      const { fullName } = called;
      return [called, shortened(`call_${plain(fullName.replaceAll('.', '-'))}`, fullName)];
    }),
  );
}

/** Writes a name in ASCII. */
function plain(name: string): string {
  return name.replace(/[^\w-]/gu, (letter) => `-${letter.codePointAt(0)?.toString(16) ?? ''}`);
}

/** Shortens a name that clients would not accept. @param whole what it stands for, by which it is told from others */
function shortened(name: string, whole: string): string {
  if (name.length <= LONGEST_NAME) return name;
  const digest = hash('sha256', whole, 'hex').slice(0, 12);
  return `${name.slice(0, LONGEST_NAME - digest.length - 1)}_${digest}`;
}

/** The names of a function's arguments, in the order of its parameters: clients accept the same letters as in names of tools. */
function argumentNames({ parameters }: ApiFunction): readonly string[] {
  const names: string[] = [];
  for (const [index, { name }] of parameters.entries()) {
    const argument = shortened(plain(name), name);
    names.push(argument === '' || names.includes(argument) ? `parameter_${index + 1}` : argument);
  }
  return names;
}

function functionsOf({ functions, dataclasses, singletons }: Model): Owned[] {
  const ownedBy = (
    functions: Model['functions'],
    owner: string,
    dataclass: Dataclass | null,
  ): Owned[] =>
    Array.from(functions.values(), (called) => ({
      ...{ called, path: `${owner}/${escaped(called.name)}`, dataclass },
    }));
  return [
    ...ownedBy(functions, '/rest/$catalog', null),
    ...[...singletons.values()].flatMap((one) =>
      ownedBy(one.functions, `/rest/$singleton/${escaped(one.name)}`, null),
    ),
    ...[...dataclasses.values()].flatMap((dataclass) =>
      ownedBy(dataclass.functions, dataclassPath(dataclass), dataclass),
    ),
  ];
}

/** A tool for each function that the caller may execute. */
export function functionTools(model: Model, settings: ValueSettings): Tool[] {
  const names = functionToolNames(model);
  return functionsOf(model).map((owned) => ({
    name: names.get(owned.called) ?? '',
    title: owned.called.fullName,
    description: descriptionOf(owned.called),
    ...parametersOf(owned, settings),
    annotations: owned.called.allowedOnHTTPGET ? READS : CHANGES,
    call: (given) => functionCall(owned, given),
  }));
}

/** What a function is called on, for those that are called on entities. */
const CALLED_ON: Readonly<Partial<Record<AppliesTo, string>>> = {
  entity: ' on an entity',
  entityCollection: ' on entities',
};

function descriptionOf(called: ApiFunction): string {
  const { fullName, parameters, description, allowedOnHTTPGET, appliesTo } = called;
  const words = parameters.map(
    ({ name, type, optional }) => `${name}${optional ? '?' : ''}: ${naturalType(type).type}`,
  );
  const on = CALLED_ON[appliesTo] ?? '';
  const effect = allowedOnHTTPGET
    ? 'It changes nothing.'
    : 'It may change data at once: there is no dry run.';
  return [`Calls the function ${fullName}(${words.join(', ')})${on}.`, description, effect]
    .filter((part) => part !== null)
    .join(' ');
}

function parametersOf(
  { called, dataclass }: Owned,
  settings: ValueSettings,
): Pick<Tool, 'parameters' | 'required'> {
  const { parameters: taken, appliesTo, returns } = called;
  const names = argumentNames(called);
  const optional = names.filter((_, index) => taken[index]?.optional);
  const isCalledOn = (what: AppliesTo): boolean => dataclass !== null && appliesTo === what;
  const parameters: Record<string, Schema> = {
    ...(isCalledOn('entity') ? { key: keySchema } : {}),
    ...(isCalledOn('entityCollection')
      ? { filter: { ...TEXT, description: 'On which entities; on all where it is left out.' } }
      : {}),
    ...(taken.length === 0
      ? {}
      : {
          parameters: objectOf(
            Object.fromEntries(
              taken.map(({ name, type }, index): [string, Schema] => {
                const { [index]: argument = name } = names;
                const schema = anyOf(argumentSchema(typeSchema(type, settings)), NULL);
                const description = `The parameter ${name}.`;
                return [argument, argument === name ? schema : { ...schema, description }];
              }),
            ),
            optional,
          ),
        }),
    ...(returns.kind === 'entities' ? pageSchemas : {}),
  };
  const isNeeded = optional.length < taken.length;
  return {
    parameters,
    required: [...(isCalledOn('entity') ? ['key'] : []), ...(isNeeded ? ['parameters'] : [])],
  };
}

function functionCall({ called, path, dataclass }: Owned, given: Arguments): RestCall {
  const { key, filter } = given;
  const own =
    dataclass !== null && key !== undefined
      ? `${entityPath(dataclass, key)}/${escaped(called.name)}`
      : path;
  const params = positional(called, given['parameters']);
  const window = called.returns.kind === 'entities' ? windowOf(given) : null;
  const asked = {
    $filter: filter === undefined ? undefined : textOf(filter),
    ...(window === null ? {} : { ...listsOf(given), $top: window.top, $skip: window.skip }),
  };
  return called.allowedOnHTTPGET
    ? { url: restUrl(own, { ...asked, $params: jsonText(params) }), window }
    : { url: restUrl(own, asked), body: params, window };
}

/** The parameters in the order of the function. @throws ProtocolError badParameters for one that is missing before another */
function positional(called: ApiFunction, given: JsonValue | undefined): readonly JsonValue[] {
  const values = isJsonObject(given) ? given : {};
  const names = argumentNames(called);
  const last = names.findLastIndex((name) => Object.hasOwn(values, name));
  return names.slice(0, last + 1).map((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return value;
    const message = `${called.fullName} needs ${name} before others. It takes ${names.join(', ')}.`;
    throw new ProtocolError('badParameters', message);
  });
}
