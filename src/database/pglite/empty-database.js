// @ts-check
import { URL } from 'node:url';

/** The files of an empty database, for this release of PGlite; `src/` and `dist/` are equally deep. */
export const EMPTY_DATABASE = new URL('../../../dist/empty-database.tar.gz', import.meta.url);
