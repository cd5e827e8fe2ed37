UPDATE "S"."T ""1""" AS t0 SET "LABEL" = k.c0, "AT" = k.c1, "SHAPE" = (json_populate_record(t0, json_build_object('SHAPE', k.c2)))."SHAPE"
FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0, (e->>2)::"int8" AS s, (e->>3) AS c0, (CASE WHEN ((e->>4)::timestamptz AT TIME ZONE 'UTC')::date IN ('0001-01-01', '9999-12-31', '4714-11-24 BC', '294276-12-31') THEN (e->>4)::timestamptz AT TIME ZONE 'UTC' ELSE (e->>4)::timestamptz AT TIME ZONE 'Europe/Paris' END) AS c1, (e->>5) AS c2
FROM json_array_elements($1::json) e LIMIT json_array_length($1::json)) k
WHERE t0."ID" = k.k0 AND COALESCE(NULLIF(t0."VER"::bigint & 9007199254740991, 0), 9007199254740991) = k.s
RETURNING t0."ID";
-- 1: rows [ordinal, int4, int8, varchar, timestamp, _int4]
-- 1 columns
