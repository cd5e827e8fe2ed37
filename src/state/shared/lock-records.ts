import type { LockHolder } from '../lock/entity-locks.ts';
import type { StateStore } from './state-store.ts';

/** A lock as the state store has it. Only the database tells whether it is held still, by the lock of its token. */
export interface LockRecord {
  readonly holder: LockHolder;
  /** The id of the keeper whose connection has it in the database. */
  readonly keeper: string;
  /** Made for this lock alone, at random: a number would come again in a store that lost its memory. */
  readonly token: string;
}

/** What the store knows of a lock for one session. */
export interface KnownLock {
  /** The token of its record; '' where it has none. */
  readonly token: string;
  /** Whether the record is the session's. */
  readonly isOwn: boolean;
  /** Whether the session lost the lock to another one, and does not know. */
  readonly isLost: boolean;
}

type Known = [token: string, isOwn: number, isLost: number];

/** A lock whose record was removed. */
export type Dropped = Pick<LockRecord, 'keeper' | 'token'>;

/** How many locks one command is about: the store does nothing else meanwhile. */
const LOCKS_AT_ONCE = 500;

/** KEYS: the record; the names of the new holder's locks, and of those it lost; those of the earlier holder. ARGV: the name, the expected token, whether the holder changes, then the record's fields and values. */
const PUT = `
local token = redis.call('HGET', KEYS[1], 'token')
if token and token ~= ARGV[2] then return 0 end
if token and ARGV[3] == '1' then
  redis.call('SREM', KEYS[4], ARGV[1])
  redis.call('SADD', KEYS[5], ARGV[1])
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('SREM', KEYS[3], ARGV[1])
return 1`;

/** KEYS: the record; the names of the holder's locks, and of those it lost. ARGV: the name, the token. Returns whether the lock was among the lost ones. */
const DROP = `
if redis.call('HGET', KEYS[1], 'token') == ARGV[2] then
  redis.call('DEL', KEYS[1])
  redis.call('SREM', KEYS[2], ARGV[1])
end
return redis.call('SREM', KEYS[3], ARGV[1])`;

/** KEYS: the names of the session's locks, then records. ARGV: the session, then the names of the records. Returns the keepers and tokens of its locks. */
const DROP_ALL = `
local dropped = {}
for at = 2, #KEYS do
  local found = redis.call('HMGET', KEYS[at], 'session', 'keeper', 'token')
  if found[1] == ARGV[1] then
    redis.call('DEL', KEYS[at])
    table.insert(dropped, {found[2], found[3]})
  end
  redis.call('SREM', KEYS[1], ARGV[at])
end
return dropped`;

/** KEYS: the names of the locks that the session lost, then records. ARGV: the session, then the names of the records. Returns for each the token of its lock or '', whether that is the session's, and whether the session lost it. */
const KNOWN = `
local known = {}
for at = 2, #KEYS do
  local found = redis.call('HMGET', KEYS[at], 'session', 'token')
  local isOwn = found[1] == ARGV[1] and 1 or 0
  table.insert(known, {found[2] or '', isOwn, redis.call('SISMEMBER', KEYS[1], ARGV[at])})
end
return known`;

/** The records of locks in the state store, by the names of the locks. All methods throw ProtocolError stateUnavailable. */
export class LockRecords {
  readonly #store: StateStore;

  constructor(store: StateStore) {
    this.#store = store;
  }

  async find(name: string): Promise<LockRecord | null> {
    const found = await this.#store.use((client) => client.hgetall(this.#record(name)));
    const { session, keeper, token, host = '', address = '', userAgent = '' } = found;
    if (session === undefined || keeper === undefined || token === undefined) return null;
    return { holder: { session, host, address, userAgent }, keeper, token };
  }

  /** Writes the record of a lock in place of one that is not held any more. @returns false where there is another record by now */
  async put(
    name: string,
    { holder, keeper, token }: LockRecord,
    former: LockRecord | null,
  ): Promise<boolean> {
    const { session } = holder;
    const before = former?.holder.session ?? session;
    const keys = [
      this.#record(name),
      ...[session, before].flatMap((one) => [this.#names(one), this.#lost(one)]),
    ];
    const fields = Object.entries({ ...holder, keeper, token }).flat();
    const changes = before === session ? 0 : 1;
    return (
      (await this.#store.run(PUT, keys, [name, former?.token ?? '', changes, ...fields])) === 1
    );
  }

  /** Removes the record of a session's lock; where there is no such token, only the memory of a lost one. @returns whether the session lost it without knowing */
  async drop(name: string, session: string, token: string): Promise<boolean> {
    const keys = [this.#record(name), this.#names(session), this.#lost(session)];
    return (await this.#store.run(DROP, keys, [name, token])) === 1;
  }

  /** Removes all records of a session. */
  async dropAll(session: string): Promise<readonly Dropped[]> {
    const names = await this.#store.use((client) => client.smembers(this.#names(session)));
    const dropped: Dropped[] = [];
    for (const some of pieces(names)) {
      const keys = [this.#names(session), ...some.map((name) => this.#record(name))];
      const found = (await this.#store.run(DROP_ALL, keys, [session, ...some])) as [
        string,
        string,
      ][];
      for (const [keeper, token] of found) dropped.push({ keeper, token });
    }
    await this.#store.use((client) => client.del(this.#lost(session)));
    return dropped;
  }

  /** What is known of locks for a session, in the order of their names. */
  async known(names: readonly string[], session: string): Promise<readonly KnownLock[]> {
    const known: KnownLock[] = [];
    for (const some of pieces(names)) {
      const keys = [this.#lost(session), ...some.map((name) => this.#record(name))];
      const found = (await this.#store.run(KNOWN, keys, [session, ...some])) as Known[];
      for (const [token, isOwn, isLost] of found) {
        known.push({ token, isOwn: isOwn === 1, isLost: isLost === 1 });
      }
    }
    return known;
  }

  #record(name: string): string {
    return this.#store.key('lock', name);
  }

  #names(session: string): string {
    return this.#store.key('locks', session);
  }

  #lost(session: string): string {
    return this.#store.key('lost', session);
  }
}

function* pieces(names: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < names.length; from += LOCKS_AT_ONCE) {
    yield names.slice(from, from + LOCKS_AT_ONCE);
  }
}
