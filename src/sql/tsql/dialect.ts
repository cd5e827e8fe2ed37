import type { Dialect, DialectSettings } from '../dialect.ts';
import { reprintable, type Statement } from '../ir/statement.ts';
import { TsqlCallPrinter } from './call-printer.ts';
import { tsqlLocks } from './locks.ts';
import { parameterText, parameterType } from './parameter-type.ts';
import { TsqlPrinter } from './printer.ts';
import { resultReader } from './readers.ts';
import { TsqlWritePrinter } from './write-printer.ts';
import type { ColumnRef } from '../ir/ir.ts';

/**
 * Prints a query by keys for a single key, as a row of parameters: OPENJSON has to be parsed and is planned for fifty rows
 * (https://learn.microsoft.com/sql/t-sql/queries/table-value-constructor-transact-sql).
 */
class OneKeyPrinter extends TsqlPrinter {
  protected override keyList(columns: readonly ColumnRef[]): string {
    const parts = columns.map(({ type }, index) => this.add({ kind: 'rowField', index, type }));
    const names = columns.map((_, index) => `k${index}`);
    return `(VALUES (${['0', ...parts].join(', ')})) ${this.rowsAlias}(${['o', ...names].join(', ')})`;
  }
}

/** Adds the statement for a single key to one that reads by a list of keys. Both have one name, that of their purpose. */
function withOneKey(statement: Statement, print: () => Statement): Statement {
  if (!statement.parameters.some(({ kind }) => kind === 'keyList')) return statement;
  let printed: Statement | undefined;
  return { ofOneKey: () => (printed ??= { ...print(), name: statement.name }), ...statement };
}

/** The dialect of SQL Server 2016 and later. @param readsWire whether values lose no digit in their own form ({@link TsqlPrinter.readsWire}) */
export function tsqlDialect(settings: DialectSettings, readsWire = true): Dialect {
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
      const statement = reprintable((outOfRange) =>
        new TsqlPrinter(settings, readsWire, outOfRange).print(query),
      );
      return withOneKey(statement, () =>
        reprintable((outOfRange) =>
          new OneKeyPrinter(settings, readsWire, outOfRange).print(query),
        ),
      );
    },
    // SHOWPLAN is a state of the connection, which statements after it would meet.
    explain: null,
    printWrite: (query) =>
      reprintable((outOfRange) =>
        new TsqlWritePrinter(settings, readsWire, outOfRange).printWrite(query),
      ),
    printCall: (query) => new TsqlCallPrinter(settings, false).printCall(query),
    printTogether: null,
    // https://learn.microsoft.com/sql/t-sql/queries/select-order-by-clause-transact-sql
    nullsFirst: true,
    printDeepPage: null,
    printDirectUpdate: (query) =>
      new TsqlWritePrinter(settings, readsWire).printDirectUpdate(query),
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
