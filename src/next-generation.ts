import { basename, dirname, resolve } from 'node:path';
import type { Logger } from './base/observe/observer.ts';
import { StartupError } from './base/errors.ts';
import type { Config } from './config/config.ts';
import { loadMappings } from './config/mapping.ts';
import { appliedTo } from './config/restart.ts';
import { checkListening } from './config/settings/listening.ts';
import { buildGeneration, type Generation, type LastingParts } from './generation.ts';
import { changesBetween, type ReloadOutcome, type ReloadReport } from './server/reload/changes.ts';

/**
 * Builds the generation that follows another one.
 * @param read the configuration as it is read by now
 * @throws StartupError with what the user can correct
 */
export async function nextGeneration(
  before: Generation,
  read: Config,
  parts: LastingParts,
): Promise<{ readonly generation: Generation; readonly report: ReloadReport }> {
  const start = performance.now();
  const { config, needsRestart } = appliedTo(before.config, read);
  // Without authentication, other machines must not reach what they could not reach before.
  await checkListening(config);
  const mappings = await loadMappings(config.mappings, config.locate('mappings'));
  const generation = await buildGeneration(config, mappings, parts);
  const changes = await changesBetween(before.definitions, generation.definitions);
  const milliseconds = Math.round(performance.now() - start);
  const { warnings } = generation;
  return { generation, report: { ...changes, milliseconds, needsRestart, warnings } };
}

/** Writes to the log how a reload ended. */
export function logReload(
  outcome: ReloadOutcome,
  log: Pick<Logger, 'info' | 'error'> & { readonly warn: (message: string) => void },
): void {
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
export function watchedFolders(config: Config): string[] {
  return [config.mappings, ...filesOf(config).map((file) => dirname(file))];
}

/** Whether a name among {@link watchedFolders} matters: other files, such as a log, may stand beside the configuration. */
export function isWatchedName(name: string | null, config: Config): boolean {
  // The links of a ConfigMap of Kubernetes begin with two dots.
  if (name === null || name.startsWith('..') || /\.ya?ml$/.test(name)) return true;
  return [config.mappings, ...filesOf(config)].some((path) => basename(path) === name);
}

function filesOf({ authentication, locate }: Config): string[] {
  const file = /^(.*):\d+:\d+$/.exec(locate('application'))?.[1];
  const users = authentication?.users;
  return [...(file === undefined ? [] : [resolve(file)]), ...(users === undefined ? [] : [users])];
}
