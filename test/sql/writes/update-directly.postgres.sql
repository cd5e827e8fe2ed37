UPDATE "S"."T ""1""" AS t0 SET "LABEL" = k.c0, "VER" = CASE WHEN t0."VER" IS NULL OR t0."VER" >= 32767 THEN 1 ELSE t0."VER" + 1 END, "LONG" = CASE WHEN t0."LONG" IS NULL OR t0."LONG" >= 9223372036854775807 THEN 1 WHEN t0."LONG" & 9007199254740991 = 9007199254740991 THEN t0."LONG" + 2 ELSE t0."LONG" + 1 END, "LOCAL" = (now() AT TIME ZONE 'Europe/Paris'), "ZONED" = now(), "DAY" = (now() AT TIME ZONE 'Europe/Paris')::date
FROM (SELECT 0 AS o, $1::text::"int4" AS k0, $2::text::"int8" AS s, $3::text AS c0, $4::text::bigint AS l) k
WHERE t0."ID" = k.k0 AND COALESCE(NULLIF(t0."VER"::bigint & 9007199254740991, 0), 9007199254740991) = k.s AND (t0."LABEL" IS DISTINCT
FROM k.c0) AND NOT EXISTS (SELECT 1
FROM pg_catalog.pg_trigger g
WHERE g.tgrelid = '"S"."T ""1"""'::regclass AND NOT g.tgisinternal AND g.tgtype & 16 <> 0) AND pg_try_advisory_xact_lock_shared(k.l)
RETURNING k.o, t0."LABEL";
-- 1: part 0, int4
-- 2: part 1, int8
-- 3: part 2, varchar
-- 4: part 3, int8
-- 2 columns

UPDATE "S"."T ""1""" AS t0 SET "LABEL" = k.c0, "VER" = CASE WHEN t0."VER" IS NULL OR t0."VER" >= 32767 THEN 1 ELSE t0."VER" + 1 END, "LONG" = CASE WHEN t0."LONG" IS NULL OR t0."LONG" >= 9223372036854775807 THEN 1 WHEN t0."LONG" & 9007199254740991 = 9007199254740991 THEN t0."LONG" + 2 ELSE t0."LONG" + 1 END, "LOCAL" = (now() AT TIME ZONE 'Europe/Paris'), "ZONED" = now(), "DAY" = (now() AT TIME ZONE 'Europe/Paris')::date
FROM (SELECT u.o, u.f1::"int4" AS k0, u.f2::"int8" AS s, u.f3 AS c0, u.f4::bigint AS l
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS u(f1, f2, f3, f4, o)) k CROSS
JOIN LATERAL (SELECT 1
FROM "S"."T ""1""" AS w
WHERE w."ID" = k.k0 FOR NO KEY UPDATE OF w SKIP LOCKED) h
WHERE t0."ID" = k.k0 AND COALESCE(NULLIF(t0."VER"::bigint & 9007199254740991, 0), 9007199254740991) = k.s AND (t0."LABEL" IS DISTINCT
FROM k.c0) AND NOT EXISTS (SELECT 1
FROM pg_catalog.pg_trigger g
WHERE g.tgrelid = '"S"."T ""1"""'::regclass AND NOT g.tgisinternal AND g.tgtype & 16 <> 0) AND NOT EXISTS (SELECT 1
FROM pg_catalog.pg_index i
WHERE i.indrelid = '"S"."T ""1"""'::regclass AND (i.indisexclusion OR i.indisunique AND (NOT i.indimmediate OR i.indexprs IS NOT NULL OR i.indpred IS NOT NULL OR (i.indkey::int2[])[0 : i.indnkeyatts - 1] && '{2,5}'::int2[]))) AND NOT EXISTS (SELECT 1
FROM pg_catalog.pg_constraint o
WHERE o.conrelid = '"S"."T ""1"""'::regclass AND o.contype = 'f' AND o.conkey && '{2,5}'::int2[]) AND pg_try_advisory_xact_lock_shared(k.l)
RETURNING k.o, t0."LABEL", k.o;
-- 1: part 0, int4
-- 2: part 1, int8
-- 3: part 2, varchar
-- 4: part 3, int8
-- 3 columns
