INSERT INTO "S"."T ""1""" AS t0 ("LABEL", "VER", "A", "B")
SELECT k.c0, 1, $2::bytea, $3::bytea
FROM (SELECT (e->>0)::int4 AS o, (e->>1) AS c0
FROM json_array_elements($1::json) e LIMIT json_array_length($1::json)) k
RETURNING t0."ID";
-- 1: rows [ordinal, varchar]
-- 2: bytes 0
-- 3: bytes 1
-- 1 columns
