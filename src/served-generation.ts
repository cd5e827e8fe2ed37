import { basename, dirname, resolve } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { StartupError } from './base/errors.ts';
import type { Config } from './config/config.ts';
import { loadMappings } from './config/mapping.ts';
import { REPORTS } from './config/report.ts';
import { appliedTo } from './config/restart.ts';
import { checkListening } from './config/settings/listening.ts';
import { buildGeneration, type Generation, type Dependencies } from './generation.ts';
import { changesBetween, type ReloadOutcome } from './server/reload/changes.ts';
import { type PreparedReload, Reloads } from './server/reload/reloads.ts';
import { watchFolders } from './server/reload/watch.ts';
import { createHandler, type Handling } from './server/rest.ts';
import type { Channel } from './server/workers/messages.ts';

/** The generation that is served, and what follows from it, until a reload replaces them. */
export class ServedGeneration {
  readonly #dependencies: Dependencies;
  readonly #load: () => Promise<Config>;
  readonly reloads: Reloads;
  generation: Generation;
  /** How requests that begin now are handled. */
  handling: Handling;

  /**
   * @param load reads the configuration again
   * @param channel to the primary of the workers; null where this process serves alone
   */
  constructor(
    first: Generation,
    dependencies: Dependencies,
    load: () => Promise<Config>,
    log: FastifyBaseLogger,
    channel: Channel | null,
  ) {
    this.#dependencies = dependencies;
    this.#load = load;
    const onEnd = (outcome: ReloadOutcome): void => logReload(outcome, log);
    this.reloads = new Reloads(() => this.#prepare(), onEnd, channel);
    this.generation = first;
    this.handling = this.#handlingOf(first);
  }

  /** Calls back after changes of the files that a reload reads. @returns a function that ends this */
  watchFiles(onChange: () => Promise<unknown>): Promise<() => void> {
    return watchFolders(
      () => watchedFolders(this.generation.config),
      (name) => isWatchedName(name, this.generation.config),
      onChange,
    );
  }

  /** @throws StartupError with what the user can correct */
  async #prepare(): Promise<PreparedReload> {
    const read = await this.#load();
    const start = performance.now();
    const before = this.generation;
    const { config, needsRestart } = appliedTo(before.config, read);
    // Without authentication, other machines must not reach what they could not reach before.
    await checkListening(config);
    const mappings = await loadMappings(config.mappings, config.locate('mappings'));
    const next = await buildGeneration(config, mappings, this.#dependencies);
    const changes = await changesBetween(before.definitions, next.definitions);
    const milliseconds = Math.round(performance.now() - start);
    return {
      report: { ...changes, milliseconds, needsRestart, warnings: next.warnings },
      commit: () => {
        this.handling.endStreams();
        this.generation = next;
        this.handling = this.#handlingOf(next);
      },
    };
  }

  #handlingOf({ services }: Generation): Handling {
    return createHandler({ reload: this.reloads.reload, ...services });
  }
}

/** Writes to the log how a reload ended. */
function logReload(outcome: ReloadOutcome, log: FastifyBaseLogger): void {
  if (!outcome.ok) {
    const { problems, more } = outcome;
    const { message } = new StartupError(problems, more);
    log.error({ problems, more }, `the reload failed, and nothing has changed: ${message}`);
    return;
  }
  const { warnings, needsRestart, ...report } = outcome.report;
  log.info(report, 'reloaded');
  for (const warning of warnings) log.warn(warning);
  for (const setting of needsRestart) log.warn(`${setting} has changed, and needs a restart`);
}

/** Lists the folders with the files that a reload reads. */
function watchedFolders(config: Config): string[] {
  const { mappings, reports } = config;
  const folders = filesOf(config).map((file) => dirname(file));
  return [mappings, ...(reports === undefined ? [] : [reports]), ...folders];
}

/** Whether a name in {@link watchedFolders} matters: other files, such as a log, may stand beside the configuration. */
function isWatchedName(name: string | null, config: Config): boolean {
  // The links of a ConfigMap of Kubernetes begin with two dots.
  if (name === null || name.startsWith('..') || /\.ya?ml$/.test(name)) return true;
  const { mappings, reports = REPORTS } = config;
  return [mappings, reports, ...filesOf(config)].some((path) => basename(path) === name);
}

function filesOf({ authentication, locate }: Config): string[] {
  const file = /^(.*):\d+:\d+$/.exec(locate('application'))?.[1];
  const users = authentication?.users;
  return [...(file === undefined ? [] : [resolve(file)]), ...(users === undefined ? [] : [users])];
}
