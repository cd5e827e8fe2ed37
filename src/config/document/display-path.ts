import { isAbsolute, relative, resolve } from 'node:path';

/** A path as messages show it: relative to the working directory when it lies below it, else absolute. */
export function displayPath(path: string): string {
  const absolute = resolve(path);
  const below = relative(process.cwd(), absolute);
  return below === '' || isAbsolute(below) || /^\.\.(?:[/\\]|$)/.test(below) ? absolute : below;
}
