import type { ColumnType, DecimalRange, TypeKind } from '../types.ts';

/** A type of the catalog. */
interface NamedType {
  readonly type: string;
  readonly typtype: string;
  /** The labels of an enum in their order; null for other types. */
  readonly labels: readonly string[] | null;
  /** The type's schema; null where the gateway's user may not name it, and for types of the server's own, which read nothing and have no arrays. */
  readonly typeSchema: string | null;
  /** {@link ORDERED}; null for types without an order. */
  readonly operators: Readonly<Record<string, string>> | null;
  readonly delimiter: string;
}

/** A type of the catalog, and what it holds if it is an array. */
export interface CatalogType extends NamedType {
  /** With the modifier of a domain; otherwise a modifier of the column is that of the items. */
  readonly items: (NamedType & { readonly modifier?: number | null }) | null;
}

/** The id of the type that a domain is over, or of a type itself. @param type the alias of a row of pg_type */
export function baseOf(type: string): string {
  return `CASE WHEN ${type}.typtype = 'd' THEN ${type}.typbasetype ELSE ${type}.oid END`;
}

/**
 * A {@link CatalogType} as members of a JSON object.
 * @param type the alias of a row of pg_type; @param declared that of a domain over it, or of itself
 * @param more further members of an array's items, which are of the type `m`
 */
export function typeMembers(type: string, declared: string, more = ''): string {
  return `${nameMembers(type, declared)},
        'items', CASE WHEN ${type}.typcategory = 'A' THEN (SELECT json_build_object(${nameMembers('i', 'm')}${more})
          FROM pg_type m JOIN pg_type i ON i.oid = ${baseOf('m')} WHERE m.oid = ${type}.typelem) END`;
}

/**
 * The types that a default operator class orders: those that it is for, and those that are taken for these without a conversion, as cidr is for inet
 * (https://www.postgresql.org/docs/current/indexes-opclass.html). = and <> have to be found by these names, which all statements use; other operators
 * are written out where they have other names, as those of hstore, or are not found by theirs.
 */
const ORDERED = `(SELECT jsonb_object_agg(w.type, f.operators)
  FROM pg_opclass k JOIN pg_am m ON m.oid = k.opcmethod AND m.amname = 'btree',
  LATERAL (SELECT k.opcintype UNION ALL SELECT castsource FROM pg_cast
    WHERE casttarget = k.opcintype AND castmethod = 'b' AND castcontext = 'i') w(type),
  LATERAL (SELECT coalesce(jsonb_object_agg(u.name, format('OPERATOR(%s.%s)', p.oprnamespace::regnamespace, p.oprname))
      FILTER (WHERE p.oprname <> u.name OR NOT pg_operator_is_visible(p.oid)), '{}') AS operators
    FROM pg_amop o JOIN pg_operator p ON p.oid = o.amopopr LEFT JOIN pg_operator n ON n.oid = p.oprnegate,
    LATERAL (SELECT ('{<,<=,=,>=,>}'::text[])[o.amopstrategy]) u(name)
    WHERE o.amopfamily = k.opcfamily AND o.amoplefttype = k.opcintype AND o.amoprighttype = k.opcintype
    HAVING bool_or(p.oprname = '=' AND pg_operator_is_visible(p.oid) AND n.oprname = '<>' AND pg_operator_is_visible(n.oid))) f
  WHERE k.opcdefault)`;

/** Operators of enums and ranges, which are those of a pseudo-type, do not take a domain over one. */
function nameMembers(type: string, declared: string): string {
  const taker = `CASE ${declared}.typtype WHEN 'e' THEN 'anyenum'::regtype WHEN 'r' THEN 'anyrange'::regtype
          WHEN 'm' THEN 'anymultirange'::regtype ELSE ${type}.oid::regtype END`;
  return `'type', ${type}.typname, 'typtype', ${type}.typtype,
        'typeSchema', (SELECT nspname FROM pg_namespace
          WHERE oid = ${type}.typnamespace AND ${type}.typarray <> 0 AND has_schema_privilege(oid, 'USAGE')),
        'operators', ${ORDERED} -> ${taker}::oid::text, 'delimiter', ${type}.typdelim,
        'labels', CASE WHEN ${type}.typtype = 'e' THEN (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder)
          FROM pg_enum e WHERE e.enumtypid = ${type}.oid) END`;
}

/** The collation by which {@link postgresDefaultFold} folds; null in databases of other encodings than UTF-8, and where the server has neither. */
const FOLD = `(SELECT f.collname FROM pg_collation f WHERE getdatabaseencoding() = 'UTF8'
    AND f.collnamespace = 'pg_catalog'::regnamespace AND f.collname IN ('pg_c_utf8', 'und-x-icu') ORDER BY f.collname LIMIT 1)`;

/** A collation that folds all letters; null where the database's own does (https://www.postgresql.org/docs/current/collation.html). */
export const postgresDefaultFold = `(SELECT CASE WHEN lower(c) = c THEN ${FOLD} END
    FROM chr(CASE getdatabaseencoding() WHEN 'UTF8' THEN 201 ELSE 65 END) c)`;

/** As {@link postgresDefaultFold}, of a collation. @param collation the alias of a row of pg_collation, which some versions give other columns */
export function foldOf(collation: string): string {
  return `CASE WHEN ${collation}.collprovider = 'd' THEN ${postgresDefaultFold}
    WHEN coalesce(${collation}.collctype::text, to_jsonb(${collation})->>'colllocale') IN ('C', 'POSIX') THEN ${FOLD} END`;
}

/** A type of the catalog in terms that the engines share. @param modifier of the column; -1 for none */
export function catalogType({ items, ...found }: CatalogType, modifier = -1): ColumnType {
  if (items === null) return readType(found, modifier);
  const itemType = readType(items, items.modifier ?? modifier);
  return { kind: 'json', asText: false, items: itemType, native: found.type };
}

function readType(
  { type: native, typtype, labels, typeSchema, operators, delimiter }: NamedType,
  modifier: number,
): ColumnType {
  const own = {
    ...(typeSchema === null ? {} : { typeSchema, ...(operators === null ? {} : { operators }) }),
    ...(delimiter === ',' ? {} : { delimiter }),
  };
  if (labels !== null) return { kind: 'opaque', native, values: labels, ...own };
  if (typtype !== 'b') return { kind: 'opaque', native, ...own };
  switch (native) {
    case 'numeric':
      return { kind: 'decimal', ...precisionAndScale(modifier), native };
    case 'bpchar':
    case 'varchar':
      return { kind: 'text', maxLength: textLength(modifier), padded: native === 'bpchar', native };
    case 'timestamp':
    case 'timestamptz':
      return {
        kind: 'timestamp',
        zoned: native === 'timestamptz',
        ...fractionDigits(modifier),
        native,
      };
    case 'time':
      return { kind: 'time', ...fractionDigits(modifier), native };
    case 'timetz':
      return {
        kind: 'opaque',
        fractionDigits: TIME_DIGITS,
        ...fractionDigits(modifier),
        native,
        ...own,
      };
    // Its input function cuts a longer text without a word, so that its own operators would find what was not asked for.
    case 'char':
      return { kind: 'opaque', native, maxBytes: 1 };
    default:
      return { ...(FIXED.get(native) ?? { kind: 'opaque', ...own }), native };
  }
}

/** https://www.postgresql.org/docs/current/datatype-money.html */
const MONEY: DecimalRange = { lowest: '-92233720368547758.08', highest: '92233720368547758.07' };

/** Types without modifiers. */
const FIXED: ReadonlyMap<string, TypeKind> = new Map<string, TypeKind>([
  ['bool', { kind: 'boolean' }],
  ['int2', { kind: 'integer', bits: 16, signed: true }],
  ['int4', { kind: 'integer', bits: 32, signed: true }],
  ['int8', { kind: 'integer', bits: 64, signed: true }],
  ['money', { kind: 'decimal', precision: 19, scale: 2, range: MONEY }],
  ['float4', { kind: 'float', bits: 32 }],
  ['float8', { kind: 'float', bits: 64 }],
  ['text', { kind: 'text', maxLength: null, padded: false }],
  ['citext', { kind: 'text', maxLength: null, padded: false }],
  ['name', { kind: 'text', maxLength: null, maxBytes: 63, padded: false }],
  ['uuid', { kind: 'uuid' }],
  ['date', { kind: 'date' }],
  ['json', { kind: 'json', asText: false }],
  ['jsonb', { kind: 'json', asText: false }],
  ['bytea', { kind: 'binary' }],
]);

/**
 * numeric's type modifier holds precision and scale, plus 4; the scale has 11 bits and a sign
 * (https://github.com/postgres/postgres/blob/master/src/backend/utils/adt/numeric.c).
 */
function precisionAndScale(modifier: number): { precision: number | null; scale: number | null } {
  if (modifier < 4) return { precision: null, scale: null };
  const digits = modifier - 4;
  return { precision: (digits >> 16) & 0xffff, scale: ((digits & 0x7ff) ^ 0x400) - 0x400 };
}

/** https://www.postgresql.org/docs/current/datatype-datetime.html */
const TIME_DIGITS = 6;

/** The modifier of times is the number of digits; times without one have the most digits. */
function fractionDigits(modifier: number): { readonly fractionDigits?: number } {
  return modifier < 0 || modifier >= TIME_DIGITS ? {} : { fractionDigits: modifier };
}

/** varchar's and char's type modifier is the length plus 4. */
function textLength(modifier: number): number | null {
  return modifier < 4 ? null : modifier - 4;
}
