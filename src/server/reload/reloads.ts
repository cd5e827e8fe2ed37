import { StartupError } from '../../base/errors.ts';
import type { Channel } from '../workers/messages.ts';
import type { ReloadOutcome, ReloadReport } from './changes.ts';

/** A generation that is ready to be served. */
export interface PreparedReload {
  readonly report: ReloadReport;
  readonly commit: () => void;
}

/** The last reload, where it failed. */
export interface ReloadFailure extends Extract<ReloadOutcome, { ok: false }> {
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

/** Reloads this process, or all that serve together: then none changes where one of them cannot. */
export class Reloads {
  readonly #prepare: () => Promise<PreparedReload>;
  readonly #onEnd: (outcome: ReloadOutcome) => void;
  /** Reloads what the files hold by now; calls at the same time may share a reload. */
  readonly reload: () => Promise<ReloadOutcome>;
  #failure: ReloadFailure | null = null;

  /**
   * @param prepare reads the files again; it throws StartupError with what the user can correct
   * @param onEnd gets the outcome of each reload, in one of the processes that serve together
   * @param channel to the primary of the workers; null where this process serves alone
   */
  constructor(
    prepare: () => Promise<PreparedReload>,
    onEnd: (outcome: ReloadOutcome) => void,
    channel: Channel | null,
  ) {
    this.#prepare = prepare;
    this.#onEnd = onEnd;
    this.reload = channel === null ? oneRunAtATime(() => this.#alone()) : this.#together(channel);
  }

  /** The last reload, where it failed; null where it did not. */
  get failure(): ReloadFailure | null {
    return this.#failure;
  }

  async #alone(): Promise<ReloadOutcome> {
    const { outcome, commit } = await this.#prepared();
    if (outcome.ok) commit();
    this.#end(outcome, true);
    return outcome;
  }

  /** Has the primary reload all workers, this one included. */
  #together(channel: Channel): () => Promise<ReloadOutcome> {
    const waiting = new Map<number, (outcome: ReloadOutcome) => void>();
    let asked = 0;
    let commit = (): void => undefined;
    channel.onMessage((message) => {
      if (message.kind === 'prepareReload') {
        void this.#prepared().then((prepared) => {
          commit = prepared.commit;
          channel.send({ kind: 'prepared', round: message.round, outcome: prepared.outcome });
        });
      } else if (message.kind === 'endReload') {
        if (message.outcome.ok) commit();
        commit = () => undefined;
        this.#end(message.outcome, message.logsOutcome);
      } else if (message.kind === 'reloaded') {
        waiting.get(message.id)?.(message.outcome);
        waiting.delete(message.id);
      }
    });
    return () =>
      new Promise((resolve) => {
        asked += 1;
        waiting.set(asked, resolve);
        channel.send({ kind: 'reload', id: asked });
      });
  }

  async #prepared(): Promise<{ readonly outcome: ReloadOutcome; readonly commit: () => void }> {
    try {
      const { report, commit } = await this.#prepare();
      return { outcome: { ok: true, report }, commit };
    } catch (error) {
      const { problems, more } =
        error instanceof StartupError ? error : StartupError.at(null, String(error));
      return { outcome: { ok: false, problems, more }, commit: () => undefined };
    }
  }

  #end(outcome: ReloadOutcome, logsOutcome: boolean): void {
    this.#failure = outcome.ok ? null : { ...outcome, at: Date.now() };
    if (logsOutcome) this.#onEnd(outcome);
  }
}

/**
 * Makes work run once at a time. A call during the work waits for a run that begins after it, together with all calls that came meanwhile: each call's
 * run begins after the call.
 */
export function oneRunAtATime<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | null = null;
  return () => {
    if (next !== null) return next;
    const run = running.then(() => {
      next = null;
      return work();
    });
    running = run.catch(() => undefined);
    next = run;
    return run;
  };
}
