import { createRequire } from 'node:module';

/** Loads modules of drivers that are not part of their interfaces. */
export const loadInternal = createRequire(import.meta.url) as (name: string) => unknown;

/** Makes sure that a driver has the version whose internals the gateway knows. @throws Error if it has another */
export function checkDriverVersion(name: string, known: string): void {
  const { version } = loadInternal(`${name}/package.json`) as { readonly version: string };
  if (version === known) return;
  throw new Error(
    `${name} ${version} is installed, and the gateway uses internals of ${name} ${known}: check them before you change the version`,
  );
}
