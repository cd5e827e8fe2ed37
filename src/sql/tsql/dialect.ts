import type { Dialect, DialectSettings } from '../dialect.ts';
import { findWindows } from 'windows-iana';
import { parameterType } from './parameter-type.ts';
import { TsqlPrinter } from './printer.ts';
import { TsqlWritePrinter } from './write-printer.ts';

/**
 * The dialect of SQL Server 2016 and later.
 * @throws RangeError when the time zone has no name of Windows', by which SQL Server calls it
 */
export function tsqlDialect(settings: DialectSettings): Dialect {
  const zone = windowsZone(settings.timeZone);
  return {
    name: 'tsql',
    // https://learn.microsoft.com/sql/t-sql/data-types/float-and-real-transact-sql
    // https://learn.microsoft.com/sql/t-sql/data-types/decimal-and-numeric-transact-sql
    limits: {
      fractionDigits: 7,
      subnormals: false,
      decimalDigits: 38,
      distantTimes: false,
      notNumbers: false,
    },
    print: (query) => new TsqlPrinter(settings, zone).print(query),
    printWrite: (query) => new TsqlWritePrinter(settings, zone).printWrite(query),
    parameterType,
    listText: (values) => JSON.stringify(values),
    // A set of one character is that character, whatever it means elsewhere in a pattern
    // (https://learn.microsoft.com/sql/t-sql/language-elements/like-transact-sql).
    likeLiteral: (text) => text.replace(/[%_[]/g, '[$&]'),
  };
}

/** https://learn.microsoft.com/sql/t-sql/queries/at-time-zone-transact-sql */
function windowsZone(timeZone: string): string | null {
  if (/^(?:Etc\/)?(?:UTC|GMT|Universal|Zulu)$/i.test(timeZone)) return null;
  const [zone] = findWindows(timeZone);
  if (zone !== undefined) return zone;
  throw new RangeError(`SQL Server knows no time zone ${timeZone}`);
}
