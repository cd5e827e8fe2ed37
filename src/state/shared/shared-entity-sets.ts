import { hash, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/time.ts';
import { ProtocolError } from '../../base/errors.ts';
import { Chunk, CHUNK_SIZE, type Key, KeyList, type StoredKeys } from '../entity-set/keys.ts';
import {
  type EntitySet,
  type EntitySetBounds,
  EntitySetStore,
  type FoundSet,
  type ListedSet,
  SET_OVERHEAD,
  type SetHead,
  type SetIds,
  type StoredFigures,
} from '../entity-set/store.ts';
import type { StateStore } from './state-store.ts';
import { StoredItems } from './stored-items.ts';

/** How many chunks are sent at once: about a megabyte of whole numbers. */
const CHUNKS_AT_ONCE = 32;

/** How long a set that is being written is kept, in milliseconds. */
const WRITTEN_WITHIN = 60_000;

/** How much longer a set's keys are kept than the set is found, in milliseconds. */
const MARGIN = 10_000;

/** The part of the memory for sets that copies of their chunks may take in this process. */
const COPIES = 1 / 8;

/** The fields of a set's hash beside its chunks, which are named by their numbers. */
const HEAD = 'head';
const VERSION = 'version';

interface StoredHead extends SetHead {
  readonly size: number;
}

/** The entity sets of several gateways, in the state store: chunks of keys in one hash per set. All methods throw ProtocolError stateUnavailable. */
export class SharedEntitySets extends EntitySetStore {
  readonly #store: StateStore;
  readonly #clock: Clock;
  readonly #items: StoredItems;
  /** Copies of chunks by key, version and number: a set that was made again has another version. */
  readonly #copies: LRUCache<string, Chunk>;

  constructor(store: StateStore, bounds: EntitySetBounds, ids: SetIds, clock: Clock) {
    super(bounds, ids);
    this.#store = store;
    this.#clock = clock;
    this.#items = new StoredItems(store, 'sets', bounds);
    this.#copies = new LRUCache({
      maxSize: Math.max(1, Math.floor(bounds.maxBytes * COPIES)),
      sizeCalculation: ({ bytes }) => bytes,
    });
  }

  async find(id: string, audience: string): Promise<FoundSet | null> {
    const item = itemOf(id, audience);
    const key = this.#keyOf(item);
    const [head, version] = await this.#store.use((client) => client.hmget(key, HEAD, VERSION));
    if (head == null || version == null) return null;
    const { size, ...set } = JSON.parse(head) as StoredHead;
    const [isThere] = await Promise.all([
      this.#items.use(item, set.lifetime * 1000),
      this.#store.use((client) => client.pexpire(key, keptFor(set))),
    ]);
    if (!isThere) return null;
    return {
      ...set,
      keys: new StoredList(size, (from, to) => this.#chunks(key, version, from, to)),
    };
  }

  /** Another request sees the set when all of it is written. */
  async restore(id: string, { keys, ...set }: EntitySet): Promise<void> {
    const item = itemOf(id, set.audience);
    const bytes = keys.bytes + SET_OVERHEAD;
    const removed = await this.#items.add(item, bytes, set.lifetime * 1000, set.owner);
    await this.#removeKeys(removed);
    const version = randomUUID();
    const [key, written] = [this.#keyOf(item), this.#keyOf(item, version)];
    const head: StoredHead = { ...set, size: keys.size };
    await this.#store.setFields(written, WRITTEN_WITHIN, {
      [HEAD]: JSON.stringify(head),
      [VERSION]: version,
    });
    for (let from = 0; from < keys.chunks.length; from += CHUNKS_AT_ONCE) {
      const chunks = keys.chunks.slice(from, from + CHUNKS_AT_ONCE);
      const fields = chunks.map((chunk, at) => [from + at, chunkBytes(chunk)] as const);
      await this.#store.setFields(written, WRITTEN_WITHIN, Object.fromEntries(fields));
    }
    await this.#store.use((client) => client.pexpire(written, keptFor(set)));
    await this.#store.use((client) => client.rename(written, key));
  }

  async release(id: string, audience: string): Promise<boolean> {
    const item = itemOf(id, audience);
    const [wasThere] = await Promise.all([this.#items.remove(item), this.#removeKeys([item])]);
    return wasThere;
  }

  disown(owner: string): Promise<void> {
    return this.#items.disown(owner);
  }

  async list(owner?: string): Promise<ListedSet[]> {
    const items = await this.#items.list(owner);
    const now = this.#clock.now();
    const listed = await Promise.all(
      items.map(async ({ id: item, remaining }): Promise<ListedSet | null> => {
        const head = await this.#store.use((client) => client.hget(this.#keyOf(item), HEAD));
        if (head === null) return null;
        const { size, ...set } = JSON.parse(head) as StoredHead;
        const [id = ''] = item.split(SEPARATOR, 1);
        return { id, set, size, expiresAt: now + remaining };
      }),
    );
    return listed.filter((set) => set !== null);
  }

  figures(): Promise<StoredFigures> {
    return this.#items.figures();
  }

  /** The chunks `from` (inclusive) to `to` (exclusive) of a version of a set. @throws ProtocolError noSuchEntitySet where it is gone meanwhile */
  async #chunks(key: string, version: string, from: number, to: number): Promise<Chunk[]> {
    const copyOf = (index: number): string => `${key} ${version} ${index}`;
    const indexes = Array.from({ length: to - from }, (_, at) => from + at);
    const chunks = new Map(indexes.map((index) => [index, this.#copies.get(copyOf(index))]));
    const missing = indexes.filter((index) => chunks.get(index) === undefined);
    if (missing.length > 0) {
      const fields = [VERSION, ...missing.map(String)];
      const [found, ...all] = await this.#store.use((client) => client.hmgetBuffer(key, ...fields));
      for (const [at, bytes] of all.entries()) {
        if (bytes === null || found?.toString() !== version) throw removedMeanwhile();
        const chunk = chunkOfBytes(bytes);
        const index = missing[at] ?? 0;
        chunks.set(index, chunk);
        this.#copies.set(copyOf(index), chunk);
      }
    }
    return [...chunks.values()].filter((chunk) => chunk !== undefined);
  }

  async #removeKeys(items: readonly string[]): Promise<void> {
    await Promise.all(
      items.map((item) => this.#store.use((client) => client.unlink(this.#keyOf(item)))),
    );
  }

  #keyOf(item: string, ...names: readonly string[]): string {
    return this.#store.ownKey('set', item, ...names);
  }
}

/** The keys of a set in the state store, which are fetched by chunks. */
class StoredList implements StoredKeys {
  readonly size: number;
  readonly #fetch: (from: number, to: number) => Promise<Chunk[]>;

  /** @param fetch gets chunks by their numbers, those at `from` to before `to` */
  constructor(size: number, fetch: (from: number, to: number) => Promise<Chunk[]>) {
    this.size = size;
    this.#fetch = fetch;
  }

  async slice(from: number, to: number): Promise<Key[]> {
    const end = Math.min(to, this.size);
    if (from >= end) return [];
    const first = Math.floor(from / CHUNK_SIZE);
    const keys = new KeyList(await this.#fetch(first, Math.ceil(end / CHUNK_SIZE)));
    return keys.slice(from - first * CHUNK_SIZE, end - first * CHUNK_SIZE);
  }

  async *stream(signal: AbortSignal): AsyncGenerator<Chunk> {
    const count = Math.ceil(this.size / CHUNK_SIZE);
    for (let first = 0; first < count; first += CHUNKS_AT_ONCE) {
      signal.throwIfAborted();
      yield* await this.#fetch(first, Math.min(count, first + CHUNKS_AT_ONCE));
    }
  }
}

const SEPARATOR = ' ';

/** Sets of different audiences are different items, even under one id. */
function itemOf(id: string, audience: string): string {
  return `${id}${SEPARATOR}${hash('sha256', audience, 'base64url')}`;
}

function keptFor({ lifetime }: Pick<SetHead, 'lifetime'>): number {
  return Math.ceil(lifetime * 1000) + MARGIN;
}

function removedMeanwhile(): ProtocolError {
  return new ProtocolError('noSuchEntitySet', 'The entity set was removed while it was read.');
}

/** Writes a chunk for the state store: the number of ends, none where all keys are numbers; the ends, in 32 bits each; the bytes of the keys. All is in little-endian. */
function chunkBytes({ ends, content }: Chunk): Buffer {
  const head = Uint32Array.of(ends?.length ?? 0, ...(ends ?? []));
  return Buffer.concat([Buffer.from(head.buffer), content]);
}

/** Reads the bytes of {@link chunkBytes}. */
function chunkOfBytes(bytes: Buffer): Chunk {
  const count = bytes.readUInt32LE();
  const start = (1 + count) * Uint32Array.BYTES_PER_ELEMENT;
  // Typed arrays begin at multiples of their elements: both parts get memory of their own.
  const { buffer } = new Uint8Array(bytes.subarray(4, start));
  const content = Buffer.from(new Uint8Array(bytes.subarray(start)).buffer);
  return new Chunk(content, count === 0 ? null : new Uint32Array(buffer));
}
