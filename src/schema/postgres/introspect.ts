import {
  type Check,
  type Column,
  describedBy,
  type ForeignKey,
  type Index,
  type PhysicalSchema,
  type Table,
  type TypeOf,
} from '../types.ts';
import { listedValues } from '../check-values.ts';
import { withHexKeys } from '../type-rules.ts';
import { baseOf, type CatalogType, catalogType, foldOf, typeMembers } from './types.ts';

/** The modifier of an array's items, where they are of a domain. */
const ITEM_MODIFIER = ", 'modifier', CASE WHEN m.typtype = 'd' THEN m.typtypmod END";

/** Selects all tables and views that the user may read, but the system's, as one JSON value (https://www.postgresql.org/docs/current/catalogs.html). */
export const postgresSchemaQuery = `
SELECT coalesce(json_agg(t ORDER BY t.schema, t.name), '[]') FROM (
  SELECT n.nspname AS schema, c.relname AS name, c.relkind AS relkind, c.relispopulated AS filled,
    c.relkind IN ('r', 'p') AND has_column_privilege(c.oid, (-2)::int2, 'SELECT') IS TRUE AS versioned,
    (SELECT description FROM pg_description k
     WHERE k.objoid = c.oid AND k.classoid = 'pg_class'::regclass AND k.objsubid = 0) AS description,
    row_security_active(c.oid) AS secured,
    has_any_column_privilege(c.oid, 'UPDATE')
      AND (c.relkind IN ('r', 'p', 'f') OR pg_relation_is_updatable(c.oid, false) & 4 = 4) AS lockable,
    (SELECT coalesce(json_agg(json_build_object(
        'name', a.attname, 'position', a.attnum, ${typeMembers('b', 'y', ITEM_MODIFIER)},
        'modifier', CASE WHEN y.typtype = 'd' THEN y.typtypmod ELSE a.atttypmod END,
        'nullable', NOT (a.attnotnull OR y.typnotnull), 'identity', a.attidentity,
        'generated', a.attgenerated, 'default', coalesce(pg_get_expr(d.adbin, d.adrelid), y.typdefault),
        'collation', json_strip_nulls(json_build_object('foldCollation', ${foldOf('l')}, 'withoutLike',
          CASE WHEN NOT l.collisdeterministic AND current_setting('server_version_num')::int < 180000 THEN true END)),
        'derived', c.relkind = 'v' AND pg_relation_is_updatable(c.oid, true) & 20 = 20
          AND NOT pg_column_is_updatable(c.oid, a.attnum, true),
        'description', k.description
      ) ORDER BY a.attnum), '[]')
     FROM pg_attribute a
     JOIN pg_type y ON y.oid = a.atttypid
     JOIN pg_type b ON b.oid = ${baseOf('y')}
     LEFT JOIN pg_collation l ON l.oid = a.attcollation
     LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     LEFT JOIN pg_description k
       ON k.objoid = a.attrelid AND k.classoid = 'pg_class'::regclass AND k.objsubid = a.attnum
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       AND has_column_privilege(c.oid, a.attnum, 'SELECT')) AS columns,
    (SELECT coalesce(json_agg(json_build_object(
        'name', ic.relname, 'unique', i.indisunique AND i.indpred IS NULL AND i.indimmediate,
        'primary', i.indisprimary, 'valid', i.indisvalid,
        'exclusive', i.indisunique OR i.indisexclusion,
        'hidden', i.indisexclusion OR NOT i.indimmediate OR i.indpred IS NOT NULL,
        'columns', (SELECT json_agg(a.attname ORDER BY k.ord)
          FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(num, ord)
          LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.num
          WHERE k.ord <= i.indnkeyatts)
      ) ORDER BY ic.relname), '[]')
     FROM pg_index i JOIN pg_class ic ON ic.oid = i.indexrelid
     WHERE i.indrelid = c.oid) AS indexes,
    (SELECT coalesce(json_agg(json_build_object(
        'name', o.conname, 'targetSchema', fn.nspname, 'targetTable', fc.relname,
        'columns', (SELECT json_agg(a.attname ORDER BY k.ord)
          FROM unnest(o.conkey) WITH ORDINALITY k(num, ord)
          JOIN pg_attribute a ON a.attrelid = o.conrelid AND a.attnum = k.num),
        'targetColumns', (SELECT json_agg(a.attname ORDER BY k.ord)
          FROM unnest(o.confkey) WITH ORDINALITY k(num, ord)
          JOIN pg_attribute a ON a.attrelid = o.confrelid AND a.attnum = k.num)
      ) ORDER BY o.conname), '[]')
     FROM pg_constraint o
     JOIN pg_class fc ON fc.oid = o.confrelid JOIN pg_namespace fn ON fn.oid = fc.relnamespace
     WHERE o.conrelid = c.oid AND o.contype = 'f' AND o.conparentid = 0) AS "foreignKeys",
    (SELECT coalesce(json_agg(json_build_object(
        'name', o.conname, 'definition', pg_get_constraintdef(o.oid),
        'columns', (SELECT coalesce(json_agg(a.attname ORDER BY a.attnum), '[]')
          FROM pg_attribute a WHERE a.attrelid = o.conrelid AND a.attnum = ANY (o.conkey))
      ) ORDER BY o.conname), '[]')
     FROM pg_constraint o WHERE o.conrelid = c.oid AND o.contype = 'c') AS checks,
    (SELECT coalesce(json_agg(g.tgtype), '[]') FROM pg_trigger g
     WHERE (g.tgrelid = c.oid OR c.relkind = 'p' AND g.tgrelid IN (SELECT relid FROM pg_partition_tree(c.oid)))
       AND (g.tgtype & 64 <> 0 OR g.tgtype & 7 = 7 OR g.tgtype & 11 = 11)
       AND g.tgenabled IN ('O', 'A')) AS triggers,
    (SELECT coalesce(json_agg(r.ev_type), '[]') FROM pg_rewrite r
     WHERE r.ev_class = c.oid AND r.is_instead AND r.rulename <> '_RETURN'
       AND r.ev_enabled IN ('O', 'A')) AS rules,
    (c.relkind <> 'r'
      OR EXISTS (SELECT 1 FROM pg_trigger g
        WHERE g.tgrelid = c.oid AND NOT g.tgisinternal AND g.tgtype & 16 <> 0)
      OR EXISTS (SELECT 1 FROM pg_rewrite r WHERE r.ev_class = c.oid AND r.ev_type = '2')) AS "updatesMore",
    (c.relkind = 'r' AND EXISTS (SELECT 1 FROM (
        SELECT 'pg_constraint'::regclass, o.oid FROM pg_constraint o WHERE o.conrelid = c.oid AND o.contype = 'c'
        UNION ALL SELECT 'pg_constraint'::regclass, o.oid FROM pg_attribute a JOIN pg_constraint o ON o.contypid = a.atttypid
          WHERE a.attrelid = c.oid AND a.attnum > 0
        UNION ALL SELECT 'pg_class'::regclass, i.indexrelid FROM pg_index i WHERE i.indrelid = c.oid
        UNION ALL SELECT 'pg_policy'::regclass, p.oid FROM pg_policy p WHERE p.polrelid = c.oid
        UNION ALL SELECT 'pg_attrdef'::regclass, d.oid FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
          WHERE d.adrelid = c.oid AND a.attgenerated <> ''
      ) k (class, id) JOIN pg_depend d ON d.classid = k.class AND d.objid = k.id
      WHERE d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass))) AS "callsOwn",
    (c.relkind <> 'p' AND EXISTS (SELECT 1 FROM pg_inherits h WHERE h.inhparent = c.oid)) AS inherited
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
    AND has_schema_privilege(n.oid, 'USAGE')
    AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'))
) t`;

interface CatalogColumn extends CatalogType {
  readonly name: string;
  readonly position: number;
  readonly modifier: number;
  readonly nullable: boolean;
  readonly identity: string;
  readonly generated: string;
  readonly default: string | null;
  readonly collation: Pick<TypeOf<'text'>, 'foldCollation' | 'withoutLike'>;
  /**
   * An updatable view makes it of other columns. False where a trigger or rule stands in for changes, and may take a value for it
   * (https://github.com/postgres/postgres/blob/master/src/backend/utils/adt/misc.c).
   */
  readonly derived: boolean;
  readonly description: string | null;
}

interface CatalogTable {
  readonly schema: string;
  readonly name: string;
  readonly relkind: string;
  readonly description: string | null;
  /** False for a materialized view that was made WITH NO DATA and never refreshed. */
  readonly filled: boolean;
  /** The user may read xmin, the system column -2. Views and foreign tables have none. */
  readonly versioned: boolean;
  /** Policies apply to the user. */
  readonly secured: boolean;
  /** SELECT … FOR UPDATE finds what SELECT finds, policies aside: it needs the right to update, and obeys the policies of updates. */
  readonly lockable: boolean;
  readonly columns: readonly CatalogColumn[];
  readonly indexes: readonly {
    readonly name: string;
    readonly unique: boolean;
    readonly primary: boolean;
    /** False for one that is being built, or whose building failed. */
    readonly valid: boolean;
    /** It is unique, or belongs to an exclusion constraint. */
    readonly exclusive: boolean;
    /** It may check rows that change in none of its columns: by its predicate, its operators, or at the end of the transaction. */
    readonly hidden: boolean;
    /** Null for an expression. */
    readonly columns: readonly (string | null)[];
  }[];
  readonly foreignKeys: readonly ForeignKey[];
  /** With definitions such as `CHECK (("QTY" > 0))`. */
  readonly checks: readonly (Check & { readonly definition: string })[];
  /** The bits of tgtype of triggers INSTEAD OF, and of those BEFORE INSERT and BEFORE DELETE FOR EACH ROW, of partitions as well. */
  readonly triggers: readonly number[];
  /** The events of rules DO INSTEAD. */
  readonly rules: readonly string[];
  /** It is not a plain table, or has triggers or rules on updates, enabled or not. */
  readonly updatesMore: boolean;
  /** A user-defined function reads its rows: in a check, an index, a policy or a generated column. */
  readonly callsOwn: boolean;
  /** Other tables inherit from it, not as partitions. */
  readonly inherited: boolean;
}

/** Reads what {@link postgresSchemaQuery} answered: one value of JSON text. */
export function readPostgresSchema(json: string): PhysicalSchema {
  const found = JSON.parse(json) as readonly CatalogTable[];
  return withHexKeys({ tables: found.map(readTable) });
}

function readTable(found: CatalogTable): Table {
  const valid = found.indexes.filter((index) => index.valid);
  const indexes = valid.flatMap(({ name, unique, columns }): Index[] => {
    const plain = columns.filter((column) => column !== null);
    return plain.length === columns.length ? [{ name, unique, columns: plain }] : [];
  });
  const primary = valid.find((index) => index.primary);
  const contended = contendedColumns(found);
  return {
    schema: found.schema,
    name: found.name,
    kind: found.relkind === 'v' || found.relkind === 'm' ? 'view' : 'table',
    ...describedBy(found.description),
    columns: found.columns.map(readColumn),
    primaryKey: (primary?.columns ?? []).filter((column) => column !== null),
    indexes,
    foreignKeys: found.foreignKeys,
    rowVersion: found.versioned ? { kind: 'xmin' } : null,
    ...(found.checks.length > 0 ? { checks: found.checks.map(readCheck) } : {}),
    ...readInstead(found),
    ...(found.lockable && !found.secured ? {} : { unlockable: true }),
    ...(hasTrigger(found, BEFORE_EACH_INSERT) ? { beforeInsert: true } : {}),
    ...(mayKeepRows(found) ? { mayKeepRows: true } : {}),
    ...(found.updatesMore ? { updatesMore: true } : {}),
    ...(found.inherited ? { isInherited: true } : {}),
    ...(contended === null ? {} : { contended }),
    ...(found.filled ? {} : { notes: [NEVER_FILLED] }),
  };
}

function readCheck({ name, columns, definition }: CatalogTable['checks'][number]): Check {
  const [column, ...others] = columns;
  const isOfOne = column !== undefined && others.length === 0;
  const values = isOfOne ? listedValues(definition.replace(/^CHECK /, ''), column) : null;
  return { name, columns, ...(values === null ? {} : { values }) };
}

/**
 * The columns whose changes may wait: in a unique index for an equal uncommitted value, in a foreign key for the lock of its row, in a function for
 * anything. Null if no other than the key's (https://www.postgresql.org/docs/current/index-unique-checks.html).
 */
function contendedColumns({
  columns,
  indexes,
  foreignKeys,
  callsOwn,
}: CatalogTable): string[] | null {
  const exclusive = indexes.filter((index) => index.exclusive);
  const named = [...exclusive, ...foreignKeys].flatMap((key) => key.columns);
  const stored = new Set(
    columns.flatMap(({ generated, name }) => (generated === '' ? [name] : [])),
  );
  // The columns of expressions and generated columns are not known.
  const isAny =
    callsOwn ||
    exclusive.some(({ hidden }) => hidden) ||
    named.some((name) => name === null || !stored.has(name));
  if (!isAny && foreignKeys.length === 0 && exclusive.every(({ primary }) => primary)) return null;
  return columns.map(({ name }) => name).filter((name) => isAny || named.includes(name));
}

/** https://www.postgresql.org/docs/current/sql-refreshmaterializedview.html */
const NEVER_FILLED =
  'the materialized view was never filled and cannot be read before REFRESH MATERIALIZED VIEW fills it';

/** The bits of tgtype: https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_trigger.h */
const INSTEAD_OF = 64;
const BEFORE_EACH_INSERT = 7;
const BEFORE_EACH_DELETE = 11;

/** Whether a table has a trigger with all of these bits. */
function hasTrigger({ triggers }: CatalogTable, bits: number): boolean {
  return triggers.some((type) => (type & bits) === bits);
}

/** Whether a delete may keep rows without an error. Of what stands below a view or is on another server, nothing is known. */
function mayKeepRows(found: CatalogTable): boolean {
  const { secured, relkind } = found;
  return secured || ['v', 'f'].includes(relkind) || hasTrigger(found, BEFORE_EACH_DELETE);
}

/** The changes that triggers and rules stand in for (https://www.postgresql.org/docs/current/catalog-pg-trigger.html and catalog-pg-rewrite.html). */
function readInstead({ triggers, rules }: CatalogTable): Pick<Table, 'instead'> {
  const changes = [
    { change: 'insert', bit: 4, event: '3' },
    { change: 'update', bit: 16, event: '2' },
    { change: 'delete', bit: 8, event: '4' },
  ] as const;
  const instead = changes
    .filter(
      ({ bit, event }) =>
        triggers.some((type) => (type & INSTEAD_OF) !== 0 && (type & bit) !== 0) ||
        rules.includes(event),
    )
    .map(({ change }) => change);
  return instead.length > 0 ? { instead } : {};
}

function readColumn(found: CatalogColumn): Column {
  const sequence = found.default?.startsWith('nextval(') ?? false;
  const type = catalogType(found, found.modifier);
  return {
    name: found.name,
    position: found.position,
    type: type.kind !== 'text' ? type : { ...type, ...found.collation },
    nullable: found.nullable,
    identity: found.identity !== '' || sequence,
    computed: found.generated !== '' || found.derived,
    hasDefault: found.default !== null || found.identity !== '',
    ...(sequence ? { sequence } : {}),
    ...(found.type === 'bytea' ? { large: true } : {}),
    ...describedBy(found.description),
  };
}
