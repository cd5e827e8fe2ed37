/** The seed of runs that are not told another one: they try the same cases, so that a failure is one of the change, and repeats. */
const FIXED = 20261121;

const given = process.env['PROPERTY_SEED'];

/** The seed of a property test: `PROPERTY_SEED=random` draws a new one, which the name of a failed test shows, and `PROPERTY_SEED=…` repeats it. */
export const seed =
  given === 'random' ? Math.floor(Math.random() * 0x7fff_ffff) : Number(given ?? FIXED);

/** Whether the cases are those of every run: only then can a test count on what they are. */
export const isFixedSeed = seed === FIXED;
