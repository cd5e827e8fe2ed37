/** Functions that only look at their arguments, or at the clock; those that both dialects know. */
const COMMON = [
  'abs ascii ceiling coalesce concat concat_ws cos exp floor greatest least left log lower ltrim nullif pi power radians replace',
  'reverse right round rtrim sign sin sqrt substring tan translate trim upper current_timestamp',
];

/** https://www.postgresql.org/docs/current/functions.html */
const POSTGRES = [
  'age btrim ceil char_length character_length chr current_date current_time date_part date_trunc',
  'initcap justify_days justify_hours length localtime localtimestamp lpad make_date make_interval make_time make_timestamp md5 mod',
  'now octet_length position repeat rpad split_part starts_with strpos to_char to_date to_number to_timestamp trunc unaccent',
  'regexp_replace regexp_match',
];

/** Conversions are written as functions there: the names of types stand among them (https://learn.microsoft.com/sql/t-sql/functions/functions). */
const TSQL = [
  'atn2 char charindex choose convert datalength dateadd datediff datediff_big datefromparts datename datepart datetimefromparts',
  'datetime2fromparts datetrunc day difference eomonth format getdate getutcdate iif isdate isjson isnull isnumeric json_value',
  'len month nchar parsename patindex quotename replicate soundex space square str string_escape stuff sysdatetime',
  'sysdatetimeoffset sysutcdatetime timefromparts try_convert unicode year',
  'binary datetime2 datetimeoffset decimal float nchar numeric nvarchar time varbinary varchar',
];

/** The functions that expressions of mapping files may call without being asked about, in lower case. */
export const harmlessFunctions: Readonly<Record<'postgres' | 'tsql', ReadonlySet<string>>> = {
  postgres: new Set(names([...COMMON, ...POSTGRES])),
  tsql: new Set(names([...COMMON, ...TSQL])),
};

/** Functions of T-SQL whose first argument is a word of its own: a part of a date, or a type. */
export const wordFirst: ReadonlySet<string> = new Set(
  names(['convert dateadd datediff datediff_big datename datepart datetrunc try_convert']),
);

function names(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(' '));
}
