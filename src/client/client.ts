import { type ClientOptions, Connection, type Content } from './connection.ts';
import { DataclassClient } from './dataclass.ts';
import { type RequestOptions, Source } from './entity-set.ts';
import {
  type CallArguments,
  callFunction,
  type CallOptions,
  type CallResult,
} from './functions.ts';
import {
  type FunctionDescription,
  type ModelDescription,
  type ModelTypes,
  ownOf,
} from './model.ts';
import type { Dataclasses } from './shapes.ts';
import { escaped } from './url.ts';

/** A user who is logged in. */
export interface CurrentUser {
  readonly ID: string;
  readonly userName: string;
  readonly fullName: string;
  readonly roles: readonly string[];
}

/** The requests that are not to the entities of a dataclass. */
export class Gateway<
  Types extends ModelTypes & { readonly dataclasses: Dataclasses<Types['dataclasses']> },
> {
  readonly #connection: Connection;
  readonly #model: ModelDescription;

  constructor(connection: Connection, model: ModelDescription) {
    this.#connection = connection;
    this.#model = model;
  }

  /** The id of the session; null before there is one. Whoever knows it is the session. */
  get session(): string | null {
    return this.#connection.session;
  }

  /**
   * Logs a user in: later requests are theirs. False where the name or the password is wrong.
   * @param options `seconds` is how long the session lives without a request
   */
  async login(
    user: string,
    password: string,
    { seconds, signal }: RequestOptions & { readonly seconds?: number } = {},
  ): Promise<boolean> {
    const json = seconds === undefined ? [user, password] : [user, password, seconds];
    const answer = await this.#connection.json('/$directory/login', {
      method: 'POST',
      json,
      signal,
      isAnswer: (body) => isResult(body) && body.result === false,
    });
    return isResult(answer) && answer.result === true;
  }

  /** Ends the session, and gives its locks up. */
  async logout({ signal }: RequestOptions = {}): Promise<void> {
    await this.#connection.json('/$directory/logout', { signal });
    this.#connection.session = null;
  }

  /** The user that requests are made as; null for nobody in particular. */
  async currentUser({ signal }: RequestOptions = {}): Promise<CurrentUser | null> {
    const answer = await this.#connection.json('/$directory/currentUser', { signal });
    return (isResult(answer) ? answer.result : null) as CurrentUser | null;
  }

  /** Keeps bytes for two minutes, for a save that refers to them: `{ photo: await api.$gateway.upload(bytes, 'image') }`. */
  upload(
    content: Content,
    form: 'image' | 'blob',
    { signal }: RequestOptions = {},
  ): Promise<{ readonly ID: string }> {
    const path = form === 'image' ? '/$upload?$rawPict=true' : '/$upload?$binary=true';
    const sent = this.#connection.json(path, { method: 'POST', content, signal });
    return sent as Promise<{ readonly ID: string }>;
  }

  /** Calls a function of the datastore. */
  call<
    const Called extends keyof Types['functions'] & string,
    const Attributes extends string = '*',
    const Relations extends string = never,
  >(
    name: Called,
    ...given: CallArguments<Types['dataclasses'], Types['functions'][Called], Attributes, Relations>
  ): Promise<CallResult<Types['dataclasses'], Types['functions'][Called], Attributes, Relations>> {
    return this.#call(`/$catalog/${escaped(name)}`, this.#model.functions, name, given) as never;
  }

  /** Calls a function of a singleton. */
  callOf<
    const Group extends keyof Types['singletons'] & string,
    const Called extends keyof Types['singletons'][Group] & string,
    const Attributes extends string = '*',
    const Relations extends string = never,
  >(
    singleton: Group,
    name: Called,
    ...given: CallArguments<
      Types['dataclasses'],
      Types['singletons'][Group][Called],
      Attributes,
      Relations
    >
  ): Promise<
    CallResult<Types['dataclasses'], Types['singletons'][Group][Called], Attributes, Relations>
  > {
    const path = `/$singleton/${escaped(singleton)}/${escaped(name)}`;
    const group = ownOf(this.#model.singletons, singleton) ?? {};
    return this.#call(path, group, name, given) as never;
  }

  #call(
    path: string,
    functions: Readonly<Record<string, FunctionDescription>>,
    name: string,
    given: unknown,
  ): Promise<unknown> {
    const [parameters, options = {}] = given as [readonly unknown[], CallOptions?];
    return callFunction(this.#connection, this.#model, {
      path,
      description: ownOf(functions, name),
      parameters,
      options: { ...options, on: undefined },
    });
  }
}

function isResult(value: unknown): value is { readonly result: unknown } {
  return typeof value === 'object' && value !== null && 'result' in value;
}

/** A client: each dataclass by its name, and all else as `$gateway`. */
export type Client<
  Types extends ModelTypes & { readonly dataclasses: Dataclasses<Types['dataclasses']> },
> = {
  readonly [Name in keyof Types['dataclasses']]: DataclassClient<Types['dataclasses'], Name>;
} & { readonly $gateway: Gateway<Types> };

/** Makes a client of a model that `entitygate types` wrote: `createClient(model, { url: 'https://erp.example.com' })`. */
export function createClient<
  Types extends ModelTypes & { readonly dataclasses: Dataclasses<Types['dataclasses']> },
>(model: ModelDescription<Types>, options: ClientOptions = {}): Client<Types> {
  const connection = new Connection(options);
  const members: Record<string, unknown> = { $gateway: new Gateway(connection, model) };
  for (const name of Object.keys(model.dataclasses)) {
    members[name] = new DataclassClient(new Source(name, model, connection));
  }
  return members as Client<Types>;
}
