import { ChangeStream } from './changes.ts';
import { type ClientOptions, Connection, GatewayError } from './connection.ts';
import { Dataclass, Functions } from './dataclass.ts';
import type { ModelDescription } from './model.ts';
import type { RequestOptions } from './query.ts';
import type { ModelTypes } from './types.ts';

/** A user who is logged in. */
export interface CurrentUser {
  readonly ID: string;
  readonly userName: string;
  readonly fullName: string;
  readonly roles: readonly string[];
}

/** The session, and the functions that belong to no dataclass. */
export class Gateway<Types extends ModelTypes> extends Functions<Types['functions']> {
  constructor(connection: Connection) {
    super(connection, '/$catalog', connection.model.functions);
  }

  /** The id of the session; null before there is one. A client that knows it is in the session. */
  get session(): string | null {
    return this.connection.session;
  }

  /** Logs a user in; false where the name or the password is wrong. @param options `seconds` is how long the session lives without a request */
  async login(
    user: string,
    password: string,
    { seconds, signal }: RequestOptions & { readonly seconds?: number } = {},
  ): Promise<boolean> {
    const json = seconds === undefined ? [user, password] : [user, password, seconds];
    try {
      return resultOf(await this.connection.json('/$directory/login', { json, signal })) === true;
    } catch (error) {
      if (error instanceof GatewayError && resultOf(error.answer) === false) return false;
      throw error;
    }
  }

  /** Ends the session, and releases its locks. */
  async logout({ signal }: RequestOptions = {}): Promise<void> {
    await this.connection.json('/$directory/logout', { signal });
    this.connection.session = null;
  }

  /** The user who is logged in; null where nobody is. */
  async currentUser({ signal }: RequestOptions = {}): Promise<CurrentUser | null> {
    return resultOf(await this.connection.json('/$directory/currentUser', { signal })) as never;
  }

  /**
   * Opens a stream of the keys of changed entities. Open it, then read what is shown: so no change is missed between the two.
   * @param options `since` is the `token` of an earlier stream of the same dataclasses, behind which this one goes on
   * @throws GatewayError, whose `isOutdated` tells to begin without a token
   */
  async changes<const Name extends keyof Types['dataclasses'] & string>(
    dataclasses: readonly Name[],
    { since, signal }: RequestOptions & { readonly since?: string | undefined } = {},
  ): Promise<ChangeStream<Name>> {
    const stream = new ChangeStream<Name>(this.connection, dataclasses, since, signal);
    await stream.open();
    return stream;
  }

  /** The functions of a singleton: `api.$gateway.singleton('Rates').call('convert', [5])`. */
  singleton<const Name extends keyof Types['singletons'] & string>(
    name: Name,
  ): Functions<Types['singletons'][Name]> {
    const path = `/$singleton/${encodeURIComponent(name)}`;
    return new Functions(this.connection, path, this.connection.model.singletons[name] ?? {});
  }
}

function resultOf(answer: unknown): unknown {
  return (answer as { readonly result?: unknown } | null)?.result;
}

/** A client: each dataclass by its name, and all else as `$gateway`. */
export type Client<Types extends ModelTypes> = {
  readonly [Name in keyof Types['dataclasses']]: Dataclass<Types['dataclasses'][Name]>;
} & { readonly $gateway: Gateway<Types> };

/** Makes a client of a model that `entitygate types` wrote: `createClient(model, { url: 'https://erp.example.com' })`. */
export function createClient<Types extends ModelTypes>(
  model: ModelDescription<Types>,
  options: ClientOptions = {},
): Client<Types> {
  const connection = new Connection(model, options);
  const names = Object.keys(model.dataclasses);
  const dataclasses = names.map((name) => [name, new Dataclass(connection, name)] as const);
  return { ...Object.fromEntries(dataclasses), $gateway: new Gateway(connection) } as never;
}
