DELETE
FROM "S"."T ""1""" AS t0 USING (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0, (e->>2)::"int8" AS s
FROM jsonb_array_elements($1::jsonb) e LIMIT jsonb_array_length($1::jsonb)) k
WHERE t0."ID" = k.k0 AND COALESCE(NULLIF(t0."VER"::bigint & 9007199254740991, 0), 9007199254740991) = k.s
RETURNING t0."ID";
-- 1: rows [ordinal, int4, int8]
-- 1 columns
