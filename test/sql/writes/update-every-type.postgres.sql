UPDATE "S"."T ""1""" AS t0 SET "boolean" = k.c0, "counter" = k.c1, "id" = k.c2, "long" = k.c3, "decimal" = k.c4, "money" = k.c5, "float" = k.c6, "text" = k.c7, "padded" = k.c8, "uuid" = k.c9, "date" = k.c10, "local" = k.c11, "zoned" = k.c12, "time" = k.c13, "json" = k.c14, "jsonText" = k.c15, "binary" = k.c16, "opaque" = (json_populate_record(t0, json_build_object('opaque', k.c17)))."opaque"
FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0, (e->>2)::"bool" AS c0, (e->>3)::"int2" AS c1, (e->>4)::"int4" AS c2, (e->>5)::"int8" AS c3, (e->>6)::"numeric" AS c4, (e->>7)::numeric AS c5, (e->>8)::"float8" AS c6, (e->>9) AS c7, (e->>10) AS c8, (e->>11)::"uuid" AS c9, (e->>12)::"date" AS c10, (CASE WHEN ((e->>13)::timestamptz AT TIME ZONE 'UTC')::date IN ('0001-01-01', '9999-12-31', '4714-11-24 BC', '294276-12-31') THEN (e->>13)::timestamptz AT TIME ZONE 'UTC' ELSE (e->>13)::timestamptz AT TIME ZONE 'Europe/Paris' END) AS c11, (e->>14)::"timestamptz" AS c12, (e->>15)::"time" AS c13, (e->>16)::"jsonb" AS c14, (e->>17) AS c15, decode((e->>18), 'hex') AS c16, (e->>19) AS c17
FROM jsonb_array_elements($1::jsonb) e LIMIT jsonb_array_length($1::jsonb)) k
WHERE t0."ID" = k.k0
RETURNING t0."ID";
-- 1: rows [ordinal, int4, bool, int2, int4, int8, numeric, money, float8, varchar, bpchar, uuid, date, timestamp, timestamptz, time, jsonb, text, bytea, _int4]
-- 1 columns
