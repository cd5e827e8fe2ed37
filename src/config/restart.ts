import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../base/collections.ts';
import type { Config, Settings } from './config.ts';

/** The settings of the parts of a gateway that live as long as its process; `audit.values` is read again. Of `mcp`, `enabled` lasts. */
const LASTING = [
  'server',
  'explorer',
  'cors',
  'database',
  'state',
  'log',
  'metrics',
  'traces',
  'timeZone',
  'bigNumbersAsStrings',
  'stampSecret',
  'entitySets',
  'images',
  'sessions',
  'locks',
  'proxy',
] as const satisfies readonly (keyof Settings)[];

/** The limits that the server applies before a request is read. */
const LASTING_LIMITS = ['requestsPerMinute', 'maxUrlBytes'] as const;

/** The settings of a configuration that a running gateway can take over, beside those that it keeps. */
export interface Applied {
  readonly config: Config;
  /** The changed settings that need a restart, such as `server.port`. */
  readonly needsRestart: readonly string[];
}

/** Combines a configuration that was read again with the settings that a running gateway keeps. */
export function appliedTo(running: Config, read: Config): Applied {
  const kept = Object.fromEntries(LASTING.map((name) => [name, running[name]]));
  const keptLimits = Object.fromEntries(LASTING_LIMITS.map((name) => [name, running.limits[name]]));
  const audit = running.audit && {
    ...running.audit,
    values: read.audit?.values ?? running.audit.values,
  };
  const config: Config = {
    ...read,
    ...kept,
    authentication: authenticationOf(running.authentication, read.authentication),
    limits: { ...read.limits, ...keptLimits },
    mcp: { ...read.mcp, enabled: running.mcp.enabled },
    audit,
  };
  const needsRestart = [
    ...LASTING,
    'limits' as const,
    'mcp' as const,
    'audit' as const,
    'authentication' as const,
  ].flatMap((name) => differences(name, config[name], read[name]));
  return { config, needsRestart };
}

/** Combines who may log in. The paths of a sign-in are served from the start on, or not at all. */
function authenticationOf(
  running: Config['authentication'],
  read: Config['authentication'],
): Config['authentication'] {
  if ((read?.oidc === undefined) === (running?.oidc === undefined)) return read;
  const applied = { ...read, oidc: running?.oidc };
  // Nobody could log in until the restart.
  return Object.values(applied).every((way) => way === undefined) ? running : applied;
}

/** Lists the settings that differ, by their paths: one level below a section, so that no value shows. */
function differences(name: string, kept: unknown, read: unknown): string[] {
  if (isDeepStrictEqual(kept, read)) return [];
  if (!isRecord(kept) || !isRecord(read)) return [name];
  return [...new Set([...Object.keys(kept), ...Object.keys(read)])]
    .filter((key) => !isDeepStrictEqual(kept[key], read[key]))
    .map((key) => `${name}.${key}`);
}
