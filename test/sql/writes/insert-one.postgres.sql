INSERT INTO "S"."T ""1""" AS t0 ("LABEL", "VER", "A", "B")
SELECT k.c0, 1, decode($2::text, 'base64'), decode($3::text, 'base64')
FROM (SELECT (e->>0)::int4 AS o, (e->>1) AS c0
FROM json_array_elements($1::json) e) k
RETURNING t0."ID";
-- 1: rows [ordinal, varchar]
-- 2: content 0
-- 3: content 1
-- 1 columns
