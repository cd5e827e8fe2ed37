import { hash } from 'node:crypto';
import { Cluster, Redis, type CommonRedisOptions } from 'ioredis';
import { ProtocolError, reason } from '../../base/errors.ts';

/** The settings of a state store; `ca` is the text of a PEM file. */
export interface StateStoreSettings {
  readonly url: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly cluster?: readonly string[] | undefined;
  readonly prefix: string;
  readonly ca?: string | undefined;
  readonly timeoutSeconds: number;
}

/** Sends commands to the store. */
export type StoreClient = Redis | Cluster;

/** The beginning of a script that needs the time: that of the store, in milliseconds, as `now`. The clocks of gateways differ. */
export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** KEYS: a hash. ARGV: how long it is kept, in milliseconds, then fields and values. */
const SET_FIELDS = `
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

/** The longest pause before the store is connected to again, in milliseconds. */
const LONGEST_PAUSE = 1000;

/** The oldest Redis that the gateway is tested with; all of Valkey is newer. */
const OLDEST = 7;

/** How long a silent connection is left alone by the system, in milliseconds. */
const KEEP_ALIVE = 10_000;

/**
 * The state that several gateways keep together, in Valkey or Redis. While the store cannot be reached, commands fail at once; it is connected to again
 * in the background. A command that fails may have been done.
 */
export class StateStore {
  readonly #settings: StateStoreSettings;
  readonly #client: StoreClient;
  readonly #handlers = new Map<string, (message: string) => void>();
  #subscriber: StoreClient | null = null;
  /** Why the last attempt to connect failed. */
  #failure = 'it does not answer';
  #advice: readonly string[] = [];

  private constructor(settings: StateStoreSettings) {
    this.#settings = settings;
    this.#client = connect(settings, false);
    this.#client.on('error', (error: Error) => {
      this.#failure = reason((error as { lastNodeError?: Error }).lastNodeError ?? error);
    });
  }

  /** Opens a store, and waits until it answers or a first attempt has failed: then {@link problem} says why. */
  static async open(settings: StateStoreSettings): Promise<StateStore> {
    const store = new StateStore(settings);
    const client: NodeJS.EventEmitter = store.#client;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds(settings));
      for (const event of ['ready', 'close']) {
        client.once(event, () => {
          clearTimeout(timer);
          resolve();
        });
      }
    });
    if (store.problem === null) {
      // Its user may be kept from asking.
      const info = await store.#client.info().catch(() => '');
      store.#advice = storeAdvice(info).map((advice) => `${store.#name} ${advice}`);
    }
    return store;
  }

  get #name(): string {
    return `The state store at ${new URL(this.#settings.url).host}`;
  }

  /** Proposals for the settings of the store, if it answered when it was opened. */
  get advice(): readonly string[] {
    return this.#advice;
  }

  /** For libraries that send commands of their own. */
  get client(): StoreClient {
    return this.#client;
  }

  /** Why the store cannot be used at the moment; null where it can. It names no password. */
  get problem(): string | null {
    if (this.#client.status === 'ready') return null;
    return `${this.#name} cannot be used: ${this.#failure.replace(/\.$/, '')}.`;
  }

  /** The name of a key that scripts use together with others: all of these are in one slot of a cluster. */
  key(...names: readonly string[]): string {
    return [`{${this.#settings.prefix}}`, ...names].join(':');
  }

  /** The name of a key with much data, whose slot depends on its kind and id. @param id without braces */
  ownKey(kind: string, id: string, ...names: readonly string[]): string {
    return [this.#settings.prefix, `{${kind}:${id}}`, ...names].join(':');
  }

  /** Sends commands. @param run does nothing besides @throws ProtocolError stateUnavailable where the store cannot be reached, or refuses its service */
  async use<Result>(run: (client: StoreClient) => Promise<Result>): Promise<Result> {
    try {
      return await run(this.#client);
    } catch (error) {
      throw isMistake(error) ? error : ProtocolError.of('stateUnavailable', error);
    }
  }

  /** Runs a Lua script atomically. All its keys are in one slot. @throws ProtocolError stateUnavailable */
  run(
    lua: string,
    keys: readonly string[],
    values: readonly (string | number | Buffer)[] = [],
  ): Promise<unknown> {
    return this.use(async (client) => {
      try {
        return await client.evalsha(hash('sha1', lua), keys.length, ...keys, ...values);
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
        return client.eval(lua, keys.length, ...keys, ...values);
      }
    });
  }

  /** Sets fields of a hash, which is kept for so many milliseconds from now on. @throws ProtocolError stateUnavailable */
  async setFields(
    key: string,
    milliseconds: number,
    fields: Readonly<Record<string, string | Buffer>>,
  ): Promise<void> {
    await this.run(SET_FIELDS, [key], [milliseconds, ...Object.entries(fields).flat()]);
  }

  /** Sends a message to the gateways that subscribe to a channel at the moment. It may be lost. @throws ProtocolError stateUnavailable */
  async publish(channel: string, message: string): Promise<void> {
    await this.use((client) => client.publish(this.key(channel), message));
  }

  /** Handles the messages of a channel from now on, also after the connection was lost; those that were sent meanwhile are lost. */
  subscribe(channel: string, handle: (message: string) => void): void {
    this.#handlers.set(this.key(channel), handle);
    this.#subscriber ??= this.#openSubscriber();
    receive(this.#subscriber, [this.key(channel)]);
  }

  close(): void {
    this.#client.disconnect();
    this.#subscriber?.disconnect();
  }

  #openSubscriber(): StoreClient {
    const subscriber: StoreClient = connect(this.#settings, true);
    subscriber.on('error', () => undefined);
    subscriber.on('ready', () => receive(subscriber, [...this.#handlers.keys()]));
    subscriber.on('message', (channel: string, message: string) => {
      this.#handlers.get(channel)?.(message);
    });
    return subscriber;
  }
}

/** Has a client receive the messages of channels, as soon as it is connected. It fails only when the client is closed. */
function receive(client: StoreClient, channels: readonly string[]): void {
  void client.subscribe(...channels).catch(() => undefined);
}

/**
 * Proposes other settings of a store.
 * @param info the answer to INFO, https://valkey.io/commands/info/
 * @returns ends of sentences about it
 */
export function storeAdvice(info: string): string[] {
  const { redis_version: version = '', maxmemory_policy: policy = 'noeviction' } =
    Object.fromEntries(info.split('\r\n').map((line) => line.split(':', 2))) as Record<
      string,
      string
    >;
  const advice: string[] = [];
  if (Number.parseInt(version) < OLDEST) {
    advice.push(`runs Redis ${version}: use Redis ${OLDEST} or later, or Valkey.`);
  }
  if (policy !== 'noeviction') {
    advice.push(
      `drops sessions and entity sets in use when its memory is full: set maxmemory-policy to noeviction; it is ${policy}.`,
    );
  }
  return advice;
}

/** Makes a client. @param waits whether commands wait for the connection, for as long as it takes */
function connect(settings: StateStoreSettings, waits: boolean): StoreClient {
  const { url, cluster, ca, ...given } = settings;
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  const timeout = milliseconds(settings);
  const isSecure = protocol === 'valkeys:' || protocol === 'rediss:';
  const user = given.user ?? decodeURIComponent(username);
  const options = {
    username: user === '' ? undefined : user,
    password: given.password ?? decodeURIComponent(password),
    connectTimeout: timeout,
    socketTimeout: timeout,
    keepAlive: KEEP_ALIVE,
    ...(waits ? {} : { commandTimeout: timeout }),
    autoResendUnfulfilledCommands: waits,
    maxRetriesPerRequest: waits ? null : 0,
    // After a failover the address may lead to the new primary.
    reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
    ...(isSecure ? { tls: ca === undefined ? {} : { ca } } : {}),
  } satisfies CommonRedisOptions & { tls?: object };
  const node = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) };
  if (cluster === undefined) {
    return new Redis({
      ...options,
      ...node,
      db: Number(pathname.slice(1)),
      enableOfflineQueue: waits,
      // Its errors would be handled by nobody.
      autoResubscribe: false,
      retryStrategy: pauseBefore,
    });
  }
  return new Cluster([node, ...cluster.map(addressed)], {
    redisOptions: options,
    enableOfflineQueue: waits,
    clusterRetryStrategy: pauseBefore,
    slotsRefreshTimeout: timeout,
    // A command that was sent is not sent again: it may have been done.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // The name in a certificate is the one that the cluster tells.
    ...(isSecure ? { dnsLookup: (address, use) => use(null, address) } : {}),
  });
}

const DEFAULT_PORT = '6379';

function addressed(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(':');
  return {
    host: address.slice(0, at).replace(/^\[|\]$/g, ''),
    port: Number(address.slice(at + 1)),
  };
}

function pauseBefore(attempt: number): number {
  return Math.min(LONGEST_PAUSE, 50 * attempt);
}

function milliseconds({ timeoutSeconds }: StateStoreSettings): number {
  return timeoutSeconds * 1000;
}

/** Whether the store refused a command for what it says: a mistake of the gateway, or another program's data under its keys. */
function isMistake(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.name === 'ReplyError' &&
    /^(?:ERR|WRONGTYPE|CROSSSLOT)\b/.test(error.message)
  );
}
