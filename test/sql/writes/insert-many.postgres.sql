INSERT INTO "S"."T ""1""" AS t0 ("LABEL")
SELECT k.c0
FROM (SELECT (e->>0)::int4 AS o, (e->>1) AS c0
FROM jsonb_array_elements($1::jsonb) e LIMIT jsonb_array_length($1::jsonb)) k
ORDER BY k.o
RETURNING t0."ID";
-- 1: rows [ordinal, varchar]
-- 1 columns
