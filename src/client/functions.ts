import type { Connection } from './connection.ts';
import type { RequestOptions, Shaping, Paging } from './entity-set.ts';
import type { Filter } from './filter.ts';
import { plainValue } from './json.ts';
import {
  type FunctionDescription,
  type ModelDescription,
  readEntities,
  readRows,
} from './model.ts';
import type { Answered, Dataclasses, EntitiesOf, EntityOf, FunctionTypes, Page } from './shapes.ts';
import { queryText } from './url.ts';

/** What goes with a call, whatever its function answers. */
export interface CallOptions extends RequestOptions, Paging {
  /** What it is called on. */
  readonly on?: unknown;
  readonly attributes?: string;
  readonly expand?: string;
}

/** The dataclass of the entities that a function answers; never where it answers something else. */
type AnsweredName<Types, Result> =
  Result extends EntitiesOf<infer Name>
    ? Extract<Name, keyof Types>
    : Result extends EntityOf<infer Name>
      ? Extract<Name, keyof Types>
      : never;

/** The options of a call: what of the entities is answered, where it answers entities. */
type OptionsOf<
  Types extends Dataclasses<Types>,
  Result,
  Attributes extends string,
  Relations extends string,
> = [AnsweredName<Types, Result>] extends [never]
  ? RequestOptions
  : RequestOptions & Paging & Shaping<Types, AnsweredName<Types, Result>, Attributes, Relations>;

/** The parameters of a call, and its options. */
export type CallArguments<
  Types extends Dataclasses<Types>,
  Called,
  Attributes extends string,
  Relations extends string,
  Key = never,
  Set = never,
> = Called extends FunctionTypes
  ? Called['on'] extends 'entity'
    ? [
        parameters: Called['parameters'],
        options: { readonly on: Key } & OptionsOf<Types, Called['result'], Attributes, Relations>,
      ]
    : Called['on'] extends 'entityCollection'
      ? [
          parameters: Called['parameters'],
          options?: { readonly on?: Key | Filter | Set } & OptionsOf<
            Types,
            Called['result'],
            Attributes,
            Relations
          >,
        ]
      : [
          parameters: Called['parameters'],
          options?: OptionsOf<Types, Called['result'], Attributes, Relations>,
        ]
  : never;

/** The result of a call. */
export type CallResult<
  Types extends Dataclasses<Types>,
  Called,
  Attributes extends string,
  Relations extends string,
> = Called extends { readonly result: infer Result }
  ? Result extends EntitiesOf<infer Name extends keyof Types>
    ? Page<Answered<Types, Name, Attributes, Relations>>
    : Result extends EntityOf<infer Name extends keyof Types>
      ? Answered<Types, Name, Attributes, Relations> | null
      : Result
  : never;

/** A call that is to be made. */
interface Call {
  /** Below `/rest`. */
  readonly path: string;
  /** Undefined of a function about whose answer the client knows nothing. */
  readonly description: FunctionDescription | undefined;
  readonly parameters: readonly unknown[];
  readonly options: CallOptions & { readonly on?: Filter | undefined };
}

/** Calls a function, and gives its answer the forms of its types. */
export async function callFunction(
  connection: Connection,
  model: ModelDescription,
  { path, description = {}, parameters, options }: Call,
): Promise<unknown> {
  const { entities, forms = {} } = description;
  const query = queryText({
    $filter: options.on,
    $attributes: options.attributes,
    $expand: options.expand,
    $top: options.top,
    $skip: options.skip,
  });
  // A filter has $params of its own: those of the function are the body.
  const answer = await connection.json(path + query, {
    method: 'POST',
    json: parameters,
    signal: options.signal,
    read: (body) =>
      entities === undefined ? readResult(body, forms) : readEntities(body, entities, model),
  });
  const isResult = typeof answer === 'object' && answer !== null && 'result' in answer;
  return isResult && (entities === undefined || answer.result === null) ? answer.result : answer;
}

/** Gives a result its forms: that of a value is by the name `result`, those of rows are by the names of columns. */
function readResult(body: unknown, forms: FunctionDescription['forms'] & object): unknown {
  if (typeof body !== 'object' || body === null || !('result' in body)) return plainValue(body);
  const { result } = body;
  return {
    result:
      typeof result === 'object'
        ? readRows(result, forms)
        : (readRows({ result }, forms) as { result: unknown }).result,
  };
}
