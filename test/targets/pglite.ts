import type { Target } from './target.ts';

/** The embedded default, in memory. */
export const pgliteTarget: Target = {
  engine: 'pglite',
  name: 'PGlite',
  unavailable: () => Promise.resolve(null),
  open: () =>
    Promise.resolve({
      database: {
        engine: 'pglite',
        statementTimeoutSeconds: 30,
        directory: 'memory:',
        seed: 'sample.sql.gz',
      },
      close: () => Promise.resolve(),
    }),
  skip: [],
};
