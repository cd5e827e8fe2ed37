import { hasDocker } from './docker.ts';
import type { Target } from './target.ts';

/** The URL of the server that an environment variable names, or undefined where it names none. */
export function serverUrl(variable: string): string | undefined {
  const url = process.env[variable];
  return url === '' ? undefined : url;
}

/** Says of a target that runs on a server whether there is one: the variable names it, or a container can be made. */
export function serverOrDocker(variable: string): Target['unavailable'] {
  return async () =>
    serverUrl(variable) !== undefined || (await hasDocker())
      ? null
      : `${variable} is not set, and no Docker answers`;
}
