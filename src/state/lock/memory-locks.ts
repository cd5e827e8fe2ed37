import {
  EntityLocks,
  type LockHolder,
  type LockResult,
  type LockState,
  type Standing,
  type UnlockResult,
} from './entity-locks.ts';
import { acquirePatiently, type LockKeeper } from './keeper.ts';

interface Held {
  readonly holder: LockHolder;
  /** Whether the keeper got the lock. */
  readonly taken: Promise<boolean>;
}

/** The locks of all sessions of this process, in its memory; the keeper excludes other processes. */
export class MemoryLocks extends EntityLocks {
  readonly #keeper: LockKeeper;
  readonly #held = new Map<string, Held>();
  /** The names of each session's locks. */
  readonly #names = new Map<string, Set<string>>();
  /** The names of the locks that each session lost without knowing. */
  readonly #lost = new Map<string, Set<string>>();

  /** @param keeperFor makes the keeper, which calls back when it has lost all locks */
  constructor(keeperFor: (onLost: () => void) => LockKeeper) {
    super();
    this.#keeper = keeperFor(() => this.#lose());
  }

  protected async take(name: string, holder: LockHolder): Promise<LockResult> {
    const held = this.#held.get(name);
    if (held !== undefined && held.holder.session !== holder.session) return held.holder;
    if (held !== undefined) return (await held.taken) ? 'own' : 'elsewhere';
    const isWanted = (): boolean => this.#held.get(name) === entry;
    const entry: Held = { holder, taken: acquirePatiently(this.#keeper, name, isWanted) };
    this.#held.set(name, entry);
    add(this.#names, holder.session, name);
    const isTaken = await entry.taken.catch((error: unknown) => {
      this.#forget(name, entry);
      remove(this.#lost, holder.session, name);
      throw error;
    });
    // The release of a session that was closed meanwhile waits for the lock, and frees it.
    if (isTaken && isWanted()) {
      remove(this.#lost, holder.session, name);
      return 'locked';
    }
    this.#forget(name, entry);
    return 'elsewhere';
  }

  async state(name: string, session: string): Promise<LockState> {
    const held = this.#held.get(name);
    if (held !== undefined && held.holder.session !== session) return held.holder;
    if (held !== undefined) return (await held.taken) ? 'own' : 'elsewhere';
    if (await this.#keeper.isHeld(name)) return 'elsewhere';
    return this.#lost.get(session)?.has(name) === true ? 'lost' : 'free';
  }

  async unlock(name: string, session: string): Promise<UnlockResult> {
    const held = this.#held.get(name);
    if (held === undefined) return remove(this.#lost, session, name) ? 'lost' : 'free';
    if (held.holder.session !== session) return held.holder;
    await this.#giveUp(name, held);
    return 'unlocked';
  }

  standings(names: readonly string[], session: string | null): readonly Standing[] {
    return names.map((name) => this.#standing(name, session));
  }

  #standing(name: string, session: string | null): Standing {
    const held = this.#held.get(name);
    if (held !== undefined) return held.holder.session === session ? 'own' : 'others';
    const lost = session === null ? undefined : this.#lost.get(session);
    return lost?.has(name) === true ? 'lost' : 'free';
  }

  get size(): number {
    return this.#held.size;
  }

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

  async close(): Promise<void> {
    this.#held.clear();
    this.#names.clear();
    this.#lost.clear();
    await this.#keeper.close();
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
