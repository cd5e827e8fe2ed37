import type { StoredFigures } from '../entity-set/store.ts';
import { NOW, type StateStore } from './state-store.ts';

/** What one kind of items may take in the store. */
export interface StoredBounds {
  readonly maxBytes: number;
  /** By default any number. */
  readonly maxPerOwner?: number;
}

export interface ListedItem {
  readonly id: string;
  /** How much longer it is kept, in milliseconds. */
  readonly remaining: number;
}

/** How many items are removed at once: the store does nothing else meanwhile. */
const REMOVED_AT_ONCE = 1000;

/**
 * KEYS: when each item expires; the order of their last uses; their sizes; their owners; totals. The items of an owner are in a key of their own in the
 * same slot. ARGV[1]: the beginning of the names of these.
 */
const ITEMS = `${NOW}
local removed = {}
local function forget(id, why)
  local bytes = redis.call('HGET', KEYS[3], id)
  if not bytes then return 0 end
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
  redis.call('HDEL', KEYS[3], id)
  redis.call('HINCRBY', KEYS[5], 'bytes', -bytes)
  if why then redis.call('HINCRBY', KEYS[5], why, 1) end
  local owner = redis.call('HGET', KEYS[4], id)
  if owner then
    redis.call('ZREM', ARGV[1] .. owner, id)
    redis.call('HDEL', KEYS[4], id)
  end
  table.insert(removed, id)
  return 1
end
local function use(id, milliseconds)
  local turn = redis.call('HINCRBY', KEYS[5], 'uses', 1)
  redis.call('ZADD', KEYS[1], now + milliseconds, id)
  redis.call('ZADD', KEYS[2], turn, id)
  local owner = redis.call('HGET', KEYS[4], id)
  if owner then redis.call('ZADD', ARGV[1] .. owner, turn, id) end
end
local function isThere(id)
  local ends = redis.call('ZSCORE', KEYS[1], id)
  return ends and tonumber(ends) > now
end`;

/** ARGV: …, the id, its bytes, milliseconds, the owner or '', the most bytes of all, the most items of an owner. Returns the ids that made room. */
const ADD = `${ITEMS}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ${REMOVED_AT_ONCE})) do
  forget(id, 'expired')
end
local bytes = tonumber(ARGV[3])
forget(ARGV[2])
if removed[#removed] == ARGV[2] then table.remove(removed) end
while tonumber(redis.call('HGET', KEYS[5], 'bytes') or '0') + bytes > tonumber(ARGV[6]) do
  local oldest = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
  if not oldest then break end
  forget(oldest, 'evicted')
end
redis.call('HSET', KEYS[3], ARGV[2], bytes)
redis.call('HINCRBY', KEYS[5], 'bytes', bytes)
if ARGV[5] ~= '' then redis.call('HSET', KEYS[4], ARGV[2], ARGV[5]) end
use(ARGV[2], ARGV[4])
if ARGV[5] ~= '' and redis.call('ZCARD', ARGV[1] .. ARGV[5]) > tonumber(ARGV[7]) then
  forget(redis.call('ZRANGE', ARGV[1] .. ARGV[5], 0, 0)[1], 'evicted')
end
return removed`;

/** ARGV: …, the id, milliseconds. Returns 0 where there is none. */
const USE = `${ITEMS}
if not isThere(ARGV[2]) then return 0 end
use(ARGV[2], ARGV[3])
return 1`;

/** ARGV: …, the id. Returns whether it was there. */
const REMOVE = `${ITEMS}
local was = isThere(ARGV[2])
forget(ARGV[2])
return was and 1 or 0`;

/** ARGV: …, the owner. */
const DISOWN = `
local owned = ARGV[1] .. ARGV[2]
for _, id in ipairs(redis.call('ZRANGE', owned, 0, -1)) do redis.call('HDEL', KEYS[4], id) end
redis.call('DEL', owned)`;

/** ARGV: …, the owner or ''. Returns the time, and the items, each with its end. */
const LIST = `${NOW}
if ARGV[2] == '' then
  return {now, redis.call('ZRANGE', KEYS[1], '(' .. now, '+inf', 'BYSCORE', 'WITHSCORES')}
end
local listed = {}
for _, id in ipairs(redis.call('ZRANGE', ARGV[1] .. ARGV[2], 0, -1)) do
  local ends = redis.call('ZSCORE', KEYS[1], id)
  if ends and tonumber(ends) > now then
    table.insert(listed, id)
    table.insert(listed, ends)
  end
end
return {now, listed}`;

/** Returns the number of items, then totals. */
const FIGURES = `${NOW}
local totals = redis.call('HMGET', KEYS[5], 'bytes', 'evicted', 'expired')
return {redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf'), totals[1] or '0', totals[2] or '0', totals[3] or '0'}`;

/**
 * The items of one kind in the state store, such as entity sets: how long each is kept, how many bytes all take, and whose they are. The least recently
 * used ones make room. What an item holds has a key of its own. All methods throw ProtocolError stateUnavailable.
 */
export class StoredItems {
  readonly #run: (script: string, ...values: (string | number)[]) => Promise<unknown>;
  readonly #bounds: StoredBounds;

  /** @param kind the beginning of the keys */
  constructor(store: StateStore, kind: string, bounds: StoredBounds) {
    this.#bounds = bounds;
    const keys = ['ends', 'used', 'bytes', 'owners', 'totals'].map((name) => store.key(kind, name));
    const ownerPrefix = store.key(kind, 'owner', '');
    this.#run = (script, ...values) => store.run(script, keys, [ownerPrefix, ...values]);
  }

  /** Adds an item, or replaces it. @param lifetime in milliseconds @param owner null where nobody's number of items is bounded @returns the ids of those that made room, or expired */
  async add(
    id: string,
    bytes: number,
    lifetime: number,
    owner: string | null,
  ): Promise<readonly string[]> {
    const { maxBytes, maxPerOwner = Number.MAX_SAFE_INTEGER } = this.#bounds;
    const removed = await this.#run(
      ADD,
      ...[id, bytes, lifetime, owner ?? '', maxBytes, maxPerOwner],
    );
    return removed as string[];
  }

  /** Renews the lifetime of an item. @returns false where there is none (any more) */
  async use(id: string, lifetime: number): Promise<boolean> {
    return (await this.#run(USE, id, lifetime)) === 1;
  }

  /** @returns false where there was none (any more) */
  async remove(id: string): Promise<boolean> {
    return (await this.#run(REMOVE, id)) === 1;
  }

  /** Takes the items of an owner from their number; they are kept. */
  async disown(owner: string): Promise<void> {
    await this.#run(DISOWN, owner);
  }

  /** Lists all items, or those of an owner. */
  async list(owner = ''): Promise<ListedItem[]> {
    const [now, ends] = (await this.#run(LIST, owner)) as [number, string[]];
    return Array.from({ length: ends.length / 2 }, (_, index) => ({
      id: ends[2 * index] ?? '',
      remaining: Number(ends[2 * index + 1]) - now,
    }));
  }

  async figures(): Promise<StoredFigures> {
    const found = (await this.#run(FIGURES)) as (number | string)[];
    const [count = 0, bytes = 0, evicted = 0, expired = 0] = found.map(Number);
    return { count, bytes, evicted, expired };
  }
}
