import type { Dialect, DialectSettings } from '../dialect.ts';
import { lazily, plainStatement, reprintable, type Statement } from '../ir/statement.ts';
import { arrayText, itemsOf, resultReader } from './readers.ts';
import { PostgresCallPrinter } from './call-printer.ts';
import { PostgresDeepPagePrinter, PostgresTogetherPrinter } from './page-printers.ts';
import { arrayLiteral } from './literals.ts';
import { postgresLocks } from './locks.ts';
import { type PostgresFeatures, PostgresPrinter } from './printer.ts';
import { PostgresWritePrinter } from './write-printer.ts';

/** The dialect of PostgreSQL 14 and later, and of PGlite. */
export function postgresDialect(settings: DialectSettings, features: PostgresFeatures): Dialect {
  return {
    name: 'postgres',
    // https://www.postgresql.org/docs/current/datatype-numeric.html
    limits: {
      timeZone: settings.timeZone,
      fractionDigits: 6,
      subnormals: true,
      decimalDigits: 16_383,
      distantTimes: true,
      notNumbers: true,
    },
    guessesKeys: false,
    print: (query) =>
      reprintable((outOfRange) => new PostgresPrinter(settings, features, outOfRange).print(query)),
    // Without ANALYZE nothing is run (https://www.postgresql.org/docs/current/sql-explain.html).
    explain: (text) => `EXPLAIN (FORMAT JSON) ${text}`,
    printWrite: (query) =>
      reprintable((outOfRange) =>
        new PostgresWritePrinter(settings, features, outOfRange).printWrite(query),
      ),
    printCall: (query) => new PostgresCallPrinter(settings, features).printCall(query),
    printTogether: (query) => new PostgresTogetherPrinter(settings, features).printTogether(query),
    // https://www.postgresql.org/docs/current/indexes-ordering.html
    nullsFirst: false,
    printDeepPage: (query, key) =>
      new PostgresDeepPagePrinter(settings, features).printDeepPage(query, key),
    printDirectUpdate: (query) => {
      const print = (together: readonly number[] | null): Statement | null =>
        new PostgresWritePrinter(settings, features).printDirectUpdate(query, together);
      const { uncontended } = query;
      const one = print(null);
      return one === null || uncontended === null
        ? one
        : { together: lazily(() => print(uncontended)), ...one };
    },
    hasReturnValue: false,
    resultReader: (type) => resultReader(type, settings),
    // https://www.postgresql.org/docs/current/sql-set-transaction.html
    readOnlyTransaction: plainStatement('SET TRANSACTION READ ONLY'),
    longestPattern: Infinity,
    locks: postgresLocks,
    parameterText: (text, type) => {
      const items = itemsOf(type);
      return items === null ? text : arrayText(text, items, settings.timeZone);
    },
    parameterType: () => null,
    listText: arrayLiteral,
    likeLiteral: (text) => text.replace(/[\\%_]/g, '\\$&'),
  };
}
