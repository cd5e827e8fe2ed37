import type { PhysicalSchema } from '../schema/types.ts';
import type { BoundParameter, Dialect, WireValue } from '../sql/dialect.ts';

/** One row of a result: its values in column order, as near to the wire as the driver gives them. */
export type Row = readonly WireValue[];

/** The small face that every engine shows. What differs between engines stays behind it and in its dialect. */
export interface Database {
  readonly dialect: Dialect;
  /** The engine's own version string. */
  readonly version: string;
  /**
   * Runs one statement.
   * @throws ProtocolError databaseAway, statementTimeout or refusedByDatabase, with the engine's error as its cause
   */
  readonly query: (text: string, values: readonly BoundParameter[]) => Promise<readonly Row[]>;
  /** Reads the physical schema in a number of statements that does not depend on the number of tables. */
  readonly introspect: () => Promise<PhysicalSchema>;
  /** Whether the database answers. */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
}
