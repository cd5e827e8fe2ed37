INSERT INTO "S"."T ""1""" AS t0 ("boolean", "counter", "id", "long", "decimal", "money", "float", "text", "padded", "uuid", "date", "local", "zoned", "time", "json", "jsonText", "binary", "opaque")
SELECT k.c0, k.c1, k.c2, k.c3, k.c4, k.c5, k.c6, k.c7, k.c8, k.c9, k.c10, k.c11, k.c12, k.c13, k.c14, k.c15, k.c16, (json_populate_record(ROW(x.*)::"S"."T ""1""", json_build_object('opaque', k.c17)))."opaque"
FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"bool" AS c0, (e->>2)::"int2" AS c1, (e->>3)::"int4" AS c2, (e->>4)::"int8" AS c3, (e->>5)::"numeric" AS c4, (e->>6)::numeric AS c5, (e->>7)::"float8" AS c6, (e->>8) AS c7, (e->>9) AS c8, (e->>10)::"uuid" AS c9, (e->>11)::"date" AS c10, (CASE WHEN ((e->>12)::timestamptz AT TIME ZONE 'UTC')::date IN ('0001-01-01', '9999-12-31', '4714-11-24 BC', '294276-12-31') THEN (e->>12)::timestamptz AT TIME ZONE 'UTC' ELSE (e->>12)::timestamptz AT TIME ZONE 'Europe/Paris' END) AS c11, (e->>13)::"timestamptz" AS c12, (e->>14)::"time" AS c13, (e->>15)::"jsonb" AS c14, (e->>16) AS c15, decode((e->>17), 'hex') AS c16, (e->>18) AS c17
FROM jsonb_array_elements($1::jsonb) e LIMIT jsonb_array_length($1::jsonb)) k
LEFT JOIN "S"."T ""1""" x ON FALSE
ORDER BY k.o;
-- 1: rows [ordinal, bool, int2, int4, int8, numeric, money, float8, varchar, bpchar, uuid, date, timestamp, timestamptz, time, jsonb, text, bytea, _int4]
-- 0 columns
