import { parseArgs } from 'node:util';

/** What `npm run torture` was asked for. */
export interface Options {
  /** How long each engine is tried, in minutes. */
  readonly minutes: number;
  readonly seed: number;
  readonly engines: readonly string[];
  readonly sections: readonly string[];
  /** A text in the names of the large inputs, and the crowds of clients, that are tried; all of them where it is empty. */
  readonly match: string;
  /** Whether `dist` is taken as it is, and not built before. */
  readonly isBuilt: boolean;
}

/** Reads the arguments. @throws Error for what they may not be */
export function readOptions(
  args: readonly string[],
  engines: readonly string[],
  sections: readonly string[],
): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '3' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 0x7fff_ffff)) },
      engine: { type: 'string', multiple: true, default: [...engines] },
      match: { type: 'string', default: '' },
      built: { type: 'boolean', default: false },
      section: { type: 'string', multiple: true, default: [...sections] },
    },
  });
  const minutes = Number(values.minutes);
  const seed = Number(values.seed);
  if (!(minutes > 0)) throw new Error('--minutes is a number above 0');
  if (!Number.isSafeInteger(seed)) throw new Error('--seed is a whole number');
  const unknown =
    values.engine.find((name) => !engines.includes(name)) ??
    values.section.find((name) => !sections.includes(name));
  if (unknown !== undefined) {
    throw new Error(
      `there is no ${unknown}: --engine is one of ${engines.join(', ')}; --section one of ${sections.join(', ')}`,
    );
  }
  return {
    minutes,
    seed,
    engines: values.engine,
    sections: values.section,
    match: values.match,
    isBuilt: values.built,
  };
}
