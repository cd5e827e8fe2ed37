import type { Clock } from '../../base/time.ts';
import { attempted, ProtocolError } from '../../base/errors.ts';
import { randomId } from '../../base/hashes.ts';
import type { Grant, Granted, Principal } from '../../base/principal.ts';
import {
  CLAIM_TIME,
  isGranted,
  type ListedSession,
  type Session,
  type SessionBounds,
  sessionHash,
  type Sessions,
} from '../session/sessions.ts';
import { NOW, type StateStore } from './state-store.ts';

/** How often the gateways look for sessions to close, in milliseconds. */
const SWEEP_INTERVAL = 1000;

/** How long the gateway that closed a session may take to free its locks, before another one does it again, in milliseconds. */
const FREED_WITHIN = 30_000;

/** How many sessions are closed at once: the store does nothing else meanwhile. */
const CLOSED_AT_ONCE = 100;

/** KEYS: when each session expires; their data; those without a name; when the locks of closed ones are to be freed. */
const CLOSE_ONE = `${NOW}
local function close(session, at)
  redis.call('ZREM', KEYS[1], session)
  redis.call('HDEL', KEYS[2], session)
  redis.call('SREM', KEYS[3], session)
  redis.call('ZADD', KEYS[4], at, session)
end
local function closeExpired()
  for _, session in ipairs(redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ${CLOSED_AT_ONCE})) do
    close(session, now)
  end
end`;

/** ARGV: the session, its data, milliseconds, whether it has no name, how many there may be, and without a name. Returns 0 where there are too many. */
const OPEN = `${CLOSE_ONE}
closeExpired()
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[5]) then return 0 end
if ARGV[4] == '1' then
  if redis.call('SCARD', KEYS[3]) >= tonumber(ARGV[6]) then return 0 end
  redis.call('SADD', KEYS[3], ARGV[1])
end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return 1`;

/** ARGV: the session. Returns its data after renewing its lifetime, or false. */
const FIND = `${NOW}
local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
local data = redis.call('HGET', KEYS[2], ARGV[1])
if not ends or not data or tonumber(ends) <= now then return false end
redis.call('ZADD', KEYS[1], now + cjson.decode(data).timeoutSeconds * 1000, ARGV[1])
return data`;

/** ARGV: the session. Returns 0 where it is not open. */
const CLOSE = `${CLOSE_ONE}
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return 0 end
close(ARGV[1], now + ${FREED_WITHIN})
return 1`;

/** Returns the sessions whose locks the caller is to free. */
const SWEEP = `${CLOSE_ONE}
closeExpired()
local closed = redis.call('ZRANGE', KEYS[4], '-inf', now, 'BYSCORE', 'LIMIT', 0, ${CLOSED_AT_ONCE})
for _, session in ipairs(closed) do redis.call('ZADD', KEYS[4], now + ${FREED_WITHIN}, session) end
return closed`;

/** Returns the time, the sessions each with its end, and each with its data. */
const ALL = `${NOW}
return {now, redis.call('ZRANGE', KEYS[1], '(' .. now, '+inf', 'BYSCORE', 'WITHSCORES'), redis.call('HGETALL', KEYS[2])}`;

/** ARGV: the session, its data. Does nothing where it is not open. */
const REPLACE = `
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end`;

type SessionData = Pick<Session, 'owner' | 'login' | 'grant' | 'timeoutSeconds'>;

/** The sessions of several gateways, in the state store, which knows them by their hashes alone. All methods throw ProtocolError stateUnavailable. */
export class SharedSessions implements Sessions {
  readonly #store: StateStore;
  readonly #bounds: SessionBounds;
  readonly #onClosed: (hash: string) => Promise<void>;
  readonly #clock: Clock;
  readonly #run: (script: string, ...values: (string | number)[]) => Promise<unknown>;
  readonly #closedKey: string;
  readonly #sweeping: NodeJS.Timeout;

  /** @param onClosed frees the locks of a session, and disowns its entity sets; where it throws, it is called again later, perhaps by another gateway */
  constructor(
    store: StateStore,
    bounds: SessionBounds,
    onClosed: (hash: string) => Promise<void>,
    clock: Clock,
  ) {
    this.#store = store;
    this.#bounds = bounds;
    this.#onClosed = onClosed;
    this.#clock = clock;
    this.#closedKey = store.key('sessions', 'closed');
    const keys = [
      ...['ends', 'data', 'nameless'].map((name) => store.key('sessions', name)),
      this.#closedKey,
    ];
    this.#run = (script, ...values) => store.run(script, keys, values);
    this.#sweeping = setInterval(() => {
      // What the store cannot tell now, it tells later.
      this.#sweep().catch(() => undefined);
    }, SWEEP_INTERVAL);
    this.#sweeping.unref();
  }

  async find(id: string): Promise<Session | null> {
    const hash = sessionHash(id);
    const data = await this.#run(FIND, hash);
    return typeof data === 'string' ? { id, hash, ...dataOf(data) } : null;
  }

  async open(
    owner: Principal,
    login = false,
    timeoutSeconds: number = this.#bounds.timeoutSeconds,
    grant: Grant | null = null,
  ): Promise<Session> {
    const { max, maxNameless = max } = this.#bounds;
    const id = randomId();
    const hash = sessionHash(id);
    const data: SessionData = {
      owner: owner.name,
      login: login ? owner : null,
      grant,
      timeoutSeconds,
    };
    const isOpen = await this.#run(
      OPEN,
      ...[hash, textOf(data), timeoutSeconds * 1000, owner.name === null ? 1 : 0],
      ...[max, maxNameless],
    );
    if (isOpen !== 1) throw ProtocolError.of('tooManySessions');
    return { id, hash, ...data };
  }

  async close(id: string): Promise<void> {
    await this.#close(sessionHash(id));
  }

  async claimGrant(id: string): Promise<boolean> {
    const key = this.#claimOf(id);
    const set = await this.#store.use((client) => client.set(key, '', 'PX', CLAIM_TIME, 'NX'));
    return set === 'OK';
  }

  async releaseGrant(id: string, renewed: Granted | null): Promise<void> {
    const session = renewed === null ? null : await this.find(id);
    if (session !== null && renewed !== null) {
      const { owner, timeoutSeconds } = session;
      await this.#run(REPLACE, sessionHash(id), textOf({ owner, timeoutSeconds, ...renewed }));
    }
    await this.#store.use((client) => client.unlink(this.#claimOf(id)));
  }

  async closeGranted(isEnded: (login: Granted) => boolean): Promise<void> {
    const [, , data] = (await this.#run(ALL)) as [number, string[], string[]];
    for (const [hash, text] of pairs(data)) {
      const session = dataOf(text);
      if (isGranted(session) && isEnded(session)) await this.#close(hash);
    }
  }

  async all(): Promise<ListedSession[]> {
    const [now, ends, data] = (await this.#run(ALL)) as [number, string[], string[]];
    const endOf = pairs(ends);
    return [...pairs(data)].flatMap(([hash, text]) => {
      const end = endOf.get(hash);
      const { owner, timeoutSeconds } = dataOf(text);
      return end === undefined
        ? []
        : [{ hash, owner, timeoutSeconds, expiresAt: this.#clock.now() + Number(end) - now }];
    });
  }

  count(): Promise<number> {
    return this.#store.use((client) => client.hlen(this.#store.key('sessions', 'data')));
  }

  /** Stops to look for expired sessions; they live on for the other gateways. */
  leave(): void {
    clearInterval(this.#sweeping);
  }

  async #close(hash: string): Promise<void> {
    if ((await this.#run(CLOSE, hash)) === 1) await this.#free(hash);
  }

  #claimOf(id: string): string {
    return this.#store.ownKey('renewal', sessionHash(id));
  }

  async #sweep(): Promise<void> {
    const closed = (await this.#run(SWEEP)) as string[];
    await Promise.all(closed.map((hash) => this.#free(hash)));
  }

  /** Frees the locks of a closed session. What fails is done again later. */
  async #free(hash: string): Promise<void> {
    await attempted(async () => {
      await this.#onClosed(hash);
      await this.#store.use((client) => client.zrem(this.#closedKey, hash));
    });
  }
}

/** Writes what the store keeps of a session; JSON knows no maps. */
function textOf({ login, ...data }: SessionData): string {
  return JSON.stringify({ ...data, login: login && { ...login, claims: [...login.claims] } });
}

function dataOf(text: string): SessionData {
  // A gateway of an earlier version knows no grants.
  const data = JSON.parse(text) as Omit<SessionData, 'login' | 'grant'> & {
    readonly login:
      (Principal & { readonly claims: readonly [string, string | readonly string[]][] }) | null;
    readonly grant?: Grant | null;
  };
  const login = data.login && { ...data.login, claims: new Map(data.login.claims) };
  return { ...data, login, grant: data.grant ?? null };
}

function pairs(flat: readonly string[]): Map<string, string> {
  const map = new Map<string, string>();
  for (let at = 0; at < flat.length; at += 2) map.set(flat[at] ?? '', flat[at + 1] ?? '');
  return map;
}
