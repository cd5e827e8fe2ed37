import type { Awaitable } from '../../base/time.ts';

/** The holder of a lock, as other clients see it (§2.5). */
export interface LockHolder {
  /** The hash of the session; it is not told. */
  readonly session: string;
  /** The host and port that the request was sent to. */
  readonly host: string;
  readonly address: string;
  readonly userAgent: string;
}

/** The session has the lock now, has had it before, or it is held by an unknown session or program, or by another session. */
export type LockResult = 'locked' | 'own' | 'elsewhere' | LockHolder;

/**
 * `given up`: the session does not hold it any more, but the process that keeps it has not freed it yet; `lost`: the session did not know that it lost
 * the lock; `free`: no known session holds it.
 */
export type UnlockResult = 'unlocked' | 'given up' | 'lost' | 'free' | LockHolder;

/** The state of a lock for a session that asks: its own, its own until it was lost, free, held by an unknown session or program, or by another session. */
export type LockState = 'own' | 'lost' | 'free' | 'elsewhere' | LockHolder;

/** The state of a lock for a session that is about to write. */
export type Standing = 'own' | 'others' | 'lost' | 'free' | OwnWhileHeld;

/** The session's own lock while the database holds another lock, which ends with it; otherwise it was lost. */
export interface OwnWhileHeld {
  /** The name of the other lock. */
  readonly held: string;
}

/** The locks of all sessions, by `lockName`. Sessions are named by their hashes. A session hears of a lost lock when it next relies on one. */
export abstract class EntityLocks {
  /** How often a lock was refused since the start, as another session held it. */
  refused = 0;

  /** Takes a lock for a session, unless it has the lock already. @throws ProtocolError where it cannot be taken; it is not held then */
  async lock(name: string, holder: LockHolder): Promise<LockResult> {
    const result = await this.take(name, holder);
    if (result !== 'locked' && result !== 'own') this.refused += 1;
    return result;
  }

  protected abstract take(name: string, holder: LockHolder): Promise<LockResult>;
  /** Tells what {@link lock} would find, and takes nothing. @throws ProtocolError as {@link lock} */
  abstract state(name: string, session: string): Promise<LockState>;
  abstract unlock(name: string, session: string): Promise<UnlockResult>;
  /**
   * The states of locks for a session, if any, in the order of their names. A lost lock stays lost until the session takes it again or gives it up: its
   * writes rest on what it read under the lock.
   */
  abstract standings(
    names: readonly string[],
    session: string | null,
  ): Awaitable<readonly Standing[]>;
  /** Gives up all locks of a session: they are free for this process at once, and soon for others. */
  abstract release(session: string): Promise<void>;
  /** How many locks this process keeps. */
  abstract get size(): number;
  abstract close(): Promise<void>;
}

/** The locks that a writing request relies on. */
export interface WriteLocks {
  readonly entityLocks: EntityLocks;
  /** The hash of the session; null where the request has none. */
  readonly session: string | null;
  /** Whether the request names a session that has ended, or never was: nothing tells which locks it relies on. */
  readonly hasEnded: boolean;
}
