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

/** The functions that every expression may call, in lower case. */
export const harmlessFunctions: Readonly<Record<'postgres' | 'tsql', ReadonlySet<string>>> = {
  postgres: namesIn(...COMMON, ...POSTGRES),
  tsql: namesIn(...COMMON, ...TSQL),
};

/** Functions of T-SQL whose first argument is a word of its own: a part of a date, or a type. */
export const wordFirst = namesIn(
  'convert dateadd datediff datediff_big datename datepart datetrunc try_convert',
);

/** The words of some lines. */
export function namesIn(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** A piece of an expression's text. */
export interface SqlToken {
  readonly kind: 'string' | 'quoted' | 'word' | 'number' | 'symbol';
  readonly text: string;
  /** The text; of a quoted name without its quotes. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The tokens of expressions. Names in brackets are SQL Server's, `::` is PostgreSQL's. */
const TOKENS: Readonly<Record<'postgres' | 'tsql', RegExp>> = {
  postgres:
    /(?<string>'(?:[^'\\]|'')*')|(?<quoted>"(?:[^"\0]|"")+")|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)|(?<word>[\p{L}_][\p{L}\p{M}\p{N}_]*)|(?<symbol>::|->>|->|\|\||<=|>=|<>|!=|!~\*|!~|~\*|[-+*/%^(),.<>=~])/iuy,
  tsql: /(?<string>n?'(?:[^']|'')*')|(?<quoted>"(?:[^"\0]|"")+"|\[(?:[^\]\0]|\]\])+\])|(?<number>0x[\da-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)|(?<word>[\p{L}_][\p{L}\p{M}\p{N}_$#]*)|(?<symbol><=|>=|<>|!=|[-+*/%(),.<>=])/iuy,
};

/** Splits an expression into tokens, or says what is wrong. A backslash is refused: its meaning depends on the server's settings. */
export function sqlTokens(text: string, dialect: 'postgres' | 'tsql'): SqlToken[] | string {
  const tokens: SqlToken[] = [];
  const blank = /\s+/y;
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    blank.lastIndex = at;
    at += blank.exec(text)?.[0].length ?? 0;
    if (at === text.length) break;
    const pattern = TOKENS[dialect];
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    const rest = text.slice(at, at + 2);
    const isComment = rest === '--' || rest === '/*';
    if (found === null || isComment) {
      const shown = isComment ? rest : rest.slice(0, 1);
      return `has ${shown} at position ${at + 1}, which no expression here may have`;
    }
    const [written] = found;
    const kind = kindOf(found.groups ?? {});
    depth += written === '(' ? 1 : written === ')' ? -1 : 0;
    if (depth < 0) return 'closes a parenthesis that it does not open';
    const name = kind === 'quoted' ? unquoted(written) : written;
    tokens.push({ kind, text: written, name, start: at, end: at + written.length });
    at += written.length;
  }
  if (depth > 0) return 'opens a parenthesis that it does not close';
  return tokens.length === 0 ? 'is empty' : tokens;
}

function kindOf(groups: Readonly<Record<string, string | undefined>>): SqlToken['kind'] {
  const kinds = ['string', 'quoted', 'number', 'word'] as const;
  return kinds.find((kind) => groups[kind] !== undefined) ?? 'symbol';
}

function unquoted(text: string): string {
  const closing = text.startsWith('[') ? ']' : '"';
  return text.slice(1, -1).replaceAll(closing + closing, closing);
}
