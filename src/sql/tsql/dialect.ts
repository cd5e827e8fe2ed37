import type { Dialect, DialectSettings } from '../dialect.ts';
import { reprintable, WITHIN } from '../reprinted.ts';
import { resultReader, TsqlCallPrinter } from './call-printer.ts';
import { tsqlLocks } from './locks.ts';
import { parameterText } from './parameter-text.ts';
import { parameterType } from './parameter-type.ts';
import { OneKeyPrinter, withOneKey } from './one-key-printer.ts';
import { TsqlPrinter } from './printer.ts';
import { TsqlWritePrinter } from './write-printer.ts';

/** The dialect of SQL Server 2016 and later. */
export function tsqlDialect(settings: DialectSettings): Dialect {
  return {
    name: 'tsql',
    // https://learn.microsoft.com/sql/t-sql/data-types/float-and-real-transact-sql
    // https://learn.microsoft.com/sql/t-sql/data-types/decimal-and-numeric-transact-sql
    limits: {
      fractionDigits: 7,
      subnormals: false,
      decimalDigits: 38,
      distantTimes: false,
      timeZone: settings.timeZone,
      notNumbers: false,
    },
    guessesKeys: true,
    print: (query) => {
      const statement = reprintable((beyond) => new TsqlPrinter(settings, beyond).print(query));
      return withOneKey(statement, () =>
        reprintable((beyond) => new OneKeyPrinter(settings, beyond).print(query)),
      );
    },
    // SHOWPLAN is a state of the connection, which statements after it would meet.
    explain: null,
    printWrite: (query) =>
      reprintable((beyond) => new TsqlWritePrinter(settings, beyond).printWrite(query)),
    printCall: (query) => new TsqlCallPrinter(settings, WITHIN).printCall(query),
    printTogether: null,
    printDeepPage: null,
    printDirectUpdate: (query) => new TsqlWritePrinter(settings, WITHIN).printDirectUpdate(query),
    hasReturnValue: true,
    resultReader: (type) => resultReader(type, settings),
    readOnlyTransaction: null,
    parameterType,
    parameterText: (text, type) => parameterText(text, type, settings.timeZone),
    listText: (values) => JSON.stringify(values),
    // A set of one character is that character, whatever it means elsewhere in a pattern
    // (https://learn.microsoft.com/sql/t-sql/language-elements/like-transact-sql).
    likeLiteral: (text) => text.replace(/[%_[]/g, '[$&]'),
    // 8,000 bytes (the same page): what is longer would be an error of the server's, or cut.
    longestPattern: 4000,
    locks: tsqlLocks,
  };
}
