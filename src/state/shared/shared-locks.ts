import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Awaitable } from '../../base/time.ts';
import { addTo } from '../../base/collections.ts';
import {
  EntityLocks,
  type LockHolder,
  type LockResult,
  type LockState,
  type Standing,
  type UnlockResult,
} from '../lock/entity-locks.ts';
import { acquirePatiently, type LockKeeper } from '../lock/keeper.ts';
import { type Dropped, type LockRecord, LockRecords } from './lock-records.ts';
import type { StateStore } from './state-store.ts';

/** How often a keeper compares its locks with the store, in milliseconds: the message that a lock was given up may be lost. */
const COMPARE_INTERVAL = 5000;

/** How long a lock that another keeper gives up is waited for at most, in milliseconds. */
const LONGEST_WAIT = COMPARE_INTERVAL + 1000;

/** The pause between two questions whether a lock is free, in milliseconds. */
const POLL_INTERVAL = 20;

/** Between the tokens of a message. */
const SEPARATOR = ' ';

/** A lock that this keeper has in the database, or is about to have. */
interface Held {
  readonly token: string;
  /** Whether the lock and its record were made. */
  readonly taken: Promise<boolean>;
  isRecorded: boolean;
  /** Set while it is freed: an engine refuses to free a lock twice. */
  freeing: Promise<void> | null;
}

/**
 * The locks of all sessions of several gateways. The database decides who has a lock: the keeper of the gateway that took it holds it on its connection,
 * with a second lock, named by a token, that ends with it. The store says which session it is for, and its token. A record counts only while the lock of
 * its token is held, so that one that is older than the truth lets nobody write.
 */
export class SharedLocks extends EntityLocks {
  readonly #store: StateStore;
  readonly #records: LockRecords;
  readonly #keeper: LockKeeper;
  readonly #id = randomUUID();
  readonly #held = new Map<string, Held>();
  readonly #comparing: NodeJS.Timeout;
  /** @param keeperFor makes the keeper, which calls back when it has lost all locks @param compareInterval in milliseconds */
  constructor(
    store: StateStore,
    keeperFor: (onLost: () => void) => LockKeeper,
    compareInterval = COMPARE_INTERVAL,
  ) {
    super();
    this.#store = store;
    this.#records = new LockRecords(store);
    this.#keeper = keeperFor(() => this.#held.clear());
    store.subscribe(channelOf(this.#id), (message) => {
      void this.#freeHere(message.split(SEPARATOR));
    });
    this.#comparing = setInterval(() => {
      // Without the store nothing is known that would free a lock.
      this.#compare([...this.#held.keys()]).catch(() => undefined);
    }, compareInterval);
    this.#comparing.unref();
  }

  protected async take(name: string, holder: LockHolder): Promise<LockResult> {
    let seen = await this.#look(name);
    const here = this.#held.get(name);
    if (here !== undefined && seen?.isHeld !== true) {
      // Another request takes it at the moment, or the store has forgotten it.
      await here.taken.catch(() => false);
      await this.#compare([name]);
      seen = await this.#look(name);
    }
    if (seen?.isHeld === true) return heldBy(seen, holder);
    if (this.#held.has(name)) return 'elsewhere';
    const token = randomUUID();
    const isWanted = (): boolean => this.#held.get(name) === entry;
    const record = { holder, keeper: this.#id, token };
    const entry: Held = {
      token,
      taken: this.#takeInDatabase(name, record, seen, isWanted),
      isRecorded: false,
      freeing: null,
    };
    this.#held.set(name, entry);
    try {
      if (await entry.taken) {
        entry.isRecorded = true;
        return 'locked';
      }
    } finally {
      if (!entry.isRecorded && isWanted()) this.#held.delete(name);
    }
    const other = await this.#look(name);
    return other?.isHeld === true ? heldBy(other, holder) : 'elsewhere';
  }

  async state(name: string, session: string): Promise<LockState> {
    const seen = await this.#look(name);
    if (seen?.isHeld === true) return seen.holder.session === session ? 'own' : seen.holder;
    if (this.#held.has(name) || (await this.#keeper.isHeld(name))) return 'elsewhere';
    const [known] = await this.#records.known([name], session);
    return known?.isOwn === true || known?.isLost === true ? 'lost' : 'free';
  }

  async unlock(name: string, session: string): Promise<UnlockResult> {
    const seen = await this.#look(name);
    if (seen?.holder.session === session) {
      const { token, keeper, isHeld } = seen;
      await this.#records.drop(name, session, token);
      if (!isHeld) return 'lost';
      const isFree = await this.#freeAll([{ token, keeper }]);
      return isFree ? 'unlocked' : 'given up';
    }
    if (seen?.isHeld === true) return seen.holder;
    return (await this.#records.drop(name, session, '')) ? 'lost' : 'free';
  }

  standings(names: readonly string[], session: string | null): Awaitable<readonly Standing[]> {
    // Of the locks of others the database tells.
    return session === null ? names.map(() => 'free') : this.#standings(names, session);
  }

  async #standings(names: readonly string[], session: string): Promise<readonly Standing[]> {
    const known = await this.#records.known(names, session);
    return known.map(({ token, isOwn, isLost }) => {
      if (isOwn) return { held: lockOfToken(token) };
      return isLost ? 'lost' : 'free';
    });
  }

  /** @throws ProtocolError stateUnavailable; it may be called again then */
  async release(session: string): Promise<void> {
    await this.#freeAll(await this.#records.dropAll(session));
  }

  get size(): number {
    return this.#held.size;
  }

  async close(): Promise<void> {
    clearInterval(this.#comparing);
    this.#held.clear();
    await this.#keeper.close();
  }

  /**
   * Takes a lock in the database, then the lock of its token, and writes its record in place of a former one. An entry that is not wanted any more was lost
   * with the connection: as long as it is wanted, both locks are on the same one.
   */
  async #takeInDatabase(
    name: string,
    record: LockRecord,
    former: LockRecord | null,
    isWanted: () => boolean,
  ): Promise<boolean> {
    const isTaken = await acquirePatiently(this.#keeper, name, isWanted);
    if (!isTaken || !isWanted()) return false;
    await this.#keeper.acquire(lockOfToken(record.token));
    let isRecorded = false;
    try {
      isRecorded = isWanted() && (await this.#records.put(name, record, former));
    } finally {
      if (!isRecorded) await this.#freeBoth(name, record.token, isWanted);
    }
    return isRecorded;
  }

  async #look(name: string): Promise<(LockRecord & { readonly isHeld: boolean }) | null> {
    const record = await this.#records.find(name);
    if (record === null) return null;
    const { token } = record;
    // SQL Server's APPLOCK_TEST does not count the locks of the connection that asks.
    const isHere = this.#held.get(name)?.token === token;
    return { isHeld: isHere || (await this.#keeper.isHeld(lockOfToken(token))), ...record };
  }

  /** Frees locks without a record, here or at their keepers, and waits until they are free, but not for keepers that do not answer. @returns whether all are free */
  async #freeAll(dropped: readonly Dropped[]): Promise<boolean> {
    const tokens = new Map<string, string[]>();
    for (const { keeper, token } of dropped) addTo(tokens, keeper, token);
    const areFree = await Promise.all(
      [...tokens].map(([keeper, some]) =>
        keeper === this.#id ? this.#freeHere(some) : this.#freeThere(keeper, some),
      ),
    );
    return areFree.every(Boolean);
  }

  async #freeHere(tokens: readonly string[]): Promise<true> {
    const given = new Set(tokens);
    const entries = [...this.#held].filter(([, { token }]) => given.has(token));
    await Promise.all(
      entries.map(async ([name, entry]) => {
        await entry.taken.catch(() => false);
        await this.#free(name, entry);
      }),
    );
    return true;
  }

  async #freeThere(keeper: string, tokens: readonly string[]): Promise<boolean> {
    await this.#store.publish(channelOf(keeper), tokens.join(SEPARATOR));
    const end = performance.now() + LONGEST_WAIT;
    for (const token of tokens) {
      while (await this.#keeper.isHeld(lockOfToken(token))) {
        if (performance.now() > end) return false;
        await pause(POLL_INTERVAL);
      }
    }
    return true;
  }

  /** Frees the locks of this keeper that the store does not give to it. @throws ProtocolError stateUnavailable */
  async #compare(names: readonly string[]): Promise<void> {
    const held = names.flatMap((name) => {
      const entry = this.#held.get(name);
      return entry?.isRecorded === true ? [{ name, entry }] : [];
    });
    if (held.length === 0) return;
    const known = await this.#records.known(
      held.map(({ name }) => name),
      '',
    );
    const foreign = held.filter(({ entry }, at) => entry.token !== known[at]?.token);
    await Promise.all(foreign.map(({ name, entry }) => this.#free(name, entry)));
  }

  #free(name: string, entry: Held): Promise<void> {
    const isWanted = (): boolean => this.#held.get(name) === entry;
    return (entry.freeing ??= this.#freeBoth(name, entry.token, isWanted).then(() => {
      if (isWanted()) this.#held.delete(name);
    }));
  }

  /** Frees a lock and that of its token in the database, unless they were lost: another request may have the lock on a new connection. */
  async #freeBoth(name: string, token: string, isWanted: () => boolean): Promise<void> {
    if (isWanted()) await this.#keeper.release(lockOfToken(token));
    if (isWanted()) await this.#keeper.release(name);
  }
}

function heldBy({ holder }: LockRecord, { session }: LockHolder): LockResult {
  return holder.session === session ? 'own' : holder;
}

/** The name of the second lock, which ends with the lock that has the token. */
function lockOfToken(token: string): string {
  return `entitygate:held:${token}`;
}

function channelOf(keeper: string): string {
  return `keeper:${keeper}`;
}
