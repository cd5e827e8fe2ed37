UPDATE "S"."T ""1""" AS t0 SET "LABEL" = k.c0, "VER" = CASE WHEN t0."VER" IS NULL OR t0."VER" >= 32767 THEN 1 ELSE t0."VER" + 1 END, "LONG" = CASE WHEN t0."LONG" IS NULL OR t0."LONG" >= 9223372036854775807 THEN 1 WHEN t0."LONG" & 9007199254740991 = 9007199254740991 THEN t0."LONG" + 2 ELSE t0."LONG" + 1 END, "LOCAL" = (now() AT TIME ZONE 'Europe/Paris'), "ZONED" = now(), "DAY" = (now() AT TIME ZONE 'Europe/Paris')::date
FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0, (e->>2)::"int8" AS s, (e->>3) AS c0
FROM jsonb_array_elements($1::jsonb) e LIMIT jsonb_array_length($1::jsonb)) k CROSS
JOIN LATERAL (SELECT 1
FROM "S"."T ""1""" AS w
WHERE w."ID" = k.k0 FOR NO KEY UPDATE OF w SKIP LOCKED) h
WHERE t0."ID" = k.k0 AND COALESCE(NULLIF(t0."VER"::bigint & 9007199254740991, 0), 9007199254740991) = k.s AND (t0."LABEL" IS DISTINCT
FROM k.c0) AND NOT EXISTS (SELECT 1
FROM pg_catalog.pg_trigger g
WHERE g.tgrelid = '"S"."T ""1"""'::regclass AND NOT g.tgisinternal AND g.tgtype & 16 <> 0)
RETURNING k.o, t0."LABEL";
-- 1: rows [ordinal, int4, int8, varchar]
-- 2 columns

