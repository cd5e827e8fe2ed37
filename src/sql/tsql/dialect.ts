import type { Dialect, DialectSettings } from '../dialect.ts';
import { TsqlPrinter } from './printer.ts';

/** The dialect of SQL Server 2016 and later. */
export function tsqlDialect(settings: DialectSettings): Dialect {
  return {
    name: 'tsql',
    print: (query) => new TsqlPrinter(settings).print(query),
    listText: (values) => JSON.stringify(values),
    // A set of one character is that character, whatever it means elsewhere in a pattern
    // (https://learn.microsoft.com/sql/t-sql/language-elements/like-transact-sql).
    likeLiteral: (text) => text.replace(/[%_[]/g, '[$&]'),
  };
}
