import { setTimeout as pause } from 'node:timers/promises';
import type { LockKeeper } from './keeper.ts';

/** Who holds a lock, as those are told who do not get it (§2.5). */
export interface LockHolder {
  /** The id of the session; nobody else is told. */
  readonly session: string;
  /** The host, and port, that the request was sent to. */
  readonly host: string;
  /** The address that it came from. */
  readonly address: string;
  readonly userAgent: string;
}

/** What came of asking for a lock: it is held now, by whom it is held, or that somebody outside of this process holds it. */
export type LockResult = 'locked' | 'elsewhere' | LockHolder;

/** What came of giving one up; `lost` where the session believed that it held it, `free` where nobody here holds it. */
export type UnlockResult = 'unlocked' | 'lost' | 'free' | LockHolder;

/** What a lock is to a session that is about to write. */
export type Standing = 'own' | 'others' | 'lost' | 'free';

/** On which locks of entities a request may rely that writes. */
export interface WriteLocks {
  readonly table: EntityLocks;
  /** The id of its session; null where it has none. */
  readonly session: string | null;
}

/**
 * How long it is waited, in milliseconds, before a lock is asked for again that could not be had: a save shares the locks of what it writes for as long as its statement takes, and is
 * nobody who holds one.
 */
const PAUSES = [10, 20, 40];

interface Held {
  readonly holder: LockHolder;
  /** Resolves when it is decided whether the lock is had. */
  readonly taken: Promise<boolean>;
}

/**
 * The locks of all sessions of this process, by the names of what is locked (`lock-name.ts`). That nobody else holds one of them is the keeper's
 * to see to. A lock whose keeper lost it is held no more, and its session is told so when it next relies on it.
 */
export class EntityLocks {
  readonly #keeper: LockKeeper;
  readonly #held = new Map<string, Held>();
  /** The names that each session holds. */
  readonly #names = new Map<string, Set<string>>();
  /** The names that each session believes it holds. */
  readonly #lost = new Map<string, Set<string>>();

  /** @param keeperFor makes the keeper, which tells when it has lost all that it kept */
  constructor(keeperFor: (onLost: () => void) => LockKeeper) {
    this.#keeper = keeperFor(() => this.#lose());
  }

  /**
   * Takes a lock for a session; one that the session holds already is held on.
   * @throws ProtocolError what the keeper throws; the lock is not held then
   */
  async lock(name: string, holder: LockHolder): Promise<LockResult> {
    const held = this.#held.get(name);
    if (held !== undefined && held.holder.session !== holder.session) return held.holder;
    if (held !== undefined) return (await held.taken) ? 'locked' : 'elsewhere';
    const isWanted = (): boolean => this.#held.get(name) === entry;
    const entry: Held = { holder, taken: this.#take(name, isWanted) };
    this.#held.set(name, entry);
    add(this.#names, holder.session, name);
    const isTaken = await entry.taken.catch((error: unknown) => {
      this.#forget(name, entry);
      remove(this.#lost, holder.session, name);
      throw error;
    });
    // Where the session was closed while it waited, whoever closed it gives the lock up.
    if (isTaken && isWanted()) {
      remove(this.#lost, holder.session, name);
      return 'locked';
    }
    this.#forget(name, entry);
    return 'elsewhere';
  }

  /** Gives up the lock of a session. */
  async unlock(name: string, session: string): Promise<UnlockResult> {
    const held = this.#held.get(name);
    if (held === undefined) return remove(this.#lost, session, name) ? 'lost' : 'free';
    if (held.holder.session !== session) return held.holder;
    await this.#giveUp(name, held);
    return 'unlocked';
  }

  /**
   * What a lock is to a session, or to a client without one. One that was lost stays so until the session takes it again or gives it up:
   * what it wants to write rests on what it read under that lock.
   */
  standing(name: string, session: string | null): Standing {
    const held = this.#held.get(name);
    if (held !== undefined) return held.holder.session === session ? 'own' : 'others';
    const lost = session === null ? undefined : this.#lost.get(session);
    return lost?.has(name) === true ? 'lost' : 'free';
  }

  /** How many locks are held. */
  get size(): number {
    return this.#held.size;
  }

  /** Gives up all that a session holds: from now on it is free here, and soon for others. */
  async release(session: string): Promise<void> {
    this.#lost.delete(session);
    const names = [...(this.#names.get(session) ?? [])];
    await Promise.all(
      names.map(async (name) => {
        const held = this.#held.get(name);
        if (held !== undefined) await this.#giveUp(name, held);
      }),
    );
  }

  /** Gives up all locks. */
  async close(): Promise<void> {
    this.#held.clear();
    this.#names.clear();
    this.#lost.clear();
    await this.#keeper.close();
  }

  async #take(name: string, isWanted: () => boolean): Promise<boolean> {
    if (await this.#keeper.acquire(name)) return true;
    for (const milliseconds of PAUSES) {
      await pause(milliseconds);
      if (!isWanted()) return false;
      if (await this.#keeper.acquire(name)) return true;
    }
    return false;
  }

  #lose(): void {
    for (const [name, { holder }] of this.#held) add(this.#lost, holder.session, name);
    this.#held.clear();
    this.#names.clear();
  }

  async #giveUp(name: string, held: Held): Promise<void> {
    this.#forget(name, held);
    if (await held.taken.catch(() => false)) await this.#keeper.release(name);
  }

  #forget(name: string, entry: Held): void {
    if (this.#held.get(name) !== entry) return;
    this.#held.delete(name);
    remove(this.#names, entry.holder.session, name);
  }
}

function add(sets: Map<string, Set<string>>, key: string, item: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([item]));
  else set.add(item);
}

/** @returns whether it was there */
function remove(sets: Map<string, Set<string>>, key: string, item: string): boolean {
  const set = sets.get(key);
  if (set?.delete(item) !== true) return false;
  if (set.size === 0) sets.delete(key);
  return true;
}
