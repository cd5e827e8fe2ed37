/**
 * The seed of a property test: a new one on each run, so that every run tries something else, or the one that a failed
 * run named, by `PROPERTY_SEED=…`.
 */
export const seed = Number(process.env['PROPERTY_SEED'] ?? Math.floor(Math.random() * 0x7fff_ffff));
