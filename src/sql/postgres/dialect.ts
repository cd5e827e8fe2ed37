import type { Dialect, DialectSettings } from '../dialect.ts';
import { arrayLiteral } from './literals.ts';
import { PostgresPrinter } from './printer.ts';
import { PostgresWritePrinter } from './write-printer.ts';

/** What of the server changes the text that is printed for it. */
export interface PostgresFeatures {
  /** The server's major version. */
  readonly version: number;
}

/** The dialect of PostgreSQL 14 and later, and of PGlite. */
export function postgresDialect(settings: DialectSettings, features: PostgresFeatures): Dialect {
  return {
    name: 'postgres',
    // https://www.postgresql.org/docs/current/datatype-numeric.html
    limits: {
      fractionDigits: 6,
      subnormals: true,
      decimalDigits: 16_383,
      distantTimes: true,
      notNumbers: true,
    },
    print: (query) => new PostgresPrinter(settings, features.version).print(query),
    printWrite: (query) => new PostgresWritePrinter(settings, features.version).printWrite(query),
    parameterType: () => null,
    listText: arrayLiteral,
    likeLiteral: (text) => text.replace(/[\\%_]/g, '\\$&'),
  };
}
