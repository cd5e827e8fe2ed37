INSERT INTO "S"."T ""1""" AS t0 ("VER")
SELECT 1
FROM (SELECT (e->>0)::int4 AS o
FROM json_array_elements($1::json) e LIMIT json_array_length($1::json)) k;
-- 1: rows [ordinal]
-- 0 columns
