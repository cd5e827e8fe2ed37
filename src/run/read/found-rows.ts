import type { ResultSet } from '../../database/database.ts';

/** Rows of a statement: as they came where they were asked for so, or decoded. */
export type FoundRows = Pick<ResultSet, 'rows' | 'encoded'>;
