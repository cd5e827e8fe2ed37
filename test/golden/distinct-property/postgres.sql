-- values
SELECT a."c0", a."c1", a."c2"
FROM (SELECT v."c1" AS "c0", MIN(v."c2" COLLATE "C") AS "c1", v."c3" AS "c2", MIN(v."c2") AS "c4"
FROM (SELECT (CASE WHEN CASE WHEN length(t0."EXTRA_JSON"::text) - length(translate(t0."EXTRA_JSON"::text, '[{', '')) <= 1000 OR (SELECT COALESCE(MAX(d), 0)
FROM (SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d
FROM string_to_table(regexp_replace(regexp_replace(t0."EXTRA_JSON"::text, '"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"', '""', 'g'), '[^][{}]', '', 'g'), NULL) WITH ORDINALITY s(c, n)) l) <= 1000 THEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') ELSE FALSE END THEN t0."EXTRA_JSON"::jsonb END #> $1::text[]) #>> '{}' AS "c0", CASE WHEN jsonb_typeof((CASE WHEN CASE WHEN length(t0."EXTRA_JSON"::text) - length(translate(t0."EXTRA_JSON"::text, '[{', '')) <= 1000 OR (SELECT COALESCE(MAX(d), 0)
FROM (SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d
FROM string_to_table(regexp_replace(regexp_replace(t0."EXTRA_JSON"::text, '"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"', '""', 'g'), '[^][{}]', '', 'g'), NULL) WITH ORDINALITY s(c, n)) l) <= 1000 THEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') ELSE FALSE END THEN t0."EXTRA_JSON"::jsonb END #> $1::text[])) = 'boolean' THEN ((CASE WHEN CASE WHEN length(t0."EXTRA_JSON"::text) - length(translate(t0."EXTRA_JSON"::text, '[{', '')) <= 1000 OR (SELECT COALESCE(MAX(d), 0)
FROM (SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d
FROM string_to_table(regexp_replace(regexp_replace(t0."EXTRA_JSON"::text, '"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"', '""', 'g'), '[^][{}]', '', 'g'), NULL) WITH ORDINALITY s(c, n)) l) <= 1000 THEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') ELSE FALSE END THEN t0."EXTRA_JSON"::jsonb END #> $1::text[]) #>> '{}')::boolean END AS "c1", CASE WHEN jsonb_typeof((CASE WHEN CASE WHEN length(t0."EXTRA_JSON"::text) - length(translate(t0."EXTRA_JSON"::text, '[{', '')) <= 1000 OR (SELECT COALESCE(MAX(d), 0)
FROM (SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d
FROM string_to_table(regexp_replace(regexp_replace(t0."EXTRA_JSON"::text, '"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"', '""', 'g'), '[^][{}]', '', 'g'), NULL) WITH ORDINALITY s(c, n)) l) <= 1000 THEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') ELSE FALSE END THEN t0."EXTRA_JSON"::jsonb END #> $1::text[])) = 'string' THEN (CASE WHEN CASE WHEN length(t0."EXTRA_JSON"::text) - length(translate(t0."EXTRA_JSON"::text, '[{', '')) <= 1000 OR (SELECT COALESCE(MAX(d), 0)
FROM (SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d
FROM string_to_table(regexp_replace(regexp_replace(t0."EXTRA_JSON"::text, '"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"', '""', 'g'), '[^][{}]', '', 'g'), NULL) WITH ORDINALITY s(c, n)) l) <= 1000 THEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') ELSE FALSE END THEN t0."EXTRA_JSON"::jsonb END #> $1::text[]) #>> '{}' END AS "c2", CASE WHEN jsonb_typeof((CASE WHEN CASE WHEN length(t0."EXTRA_JSON"::text) - length(translate(t0."EXTRA_JSON"::text, '[{', '')) <= 1000 OR (SELECT COALESCE(MAX(d), 0)
FROM (SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d
FROM string_to_table(regexp_replace(regexp_replace(t0."EXTRA_JSON"::text, '"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"', '""', 'g'), '[^][{}]', '', 'g'), NULL) WITH ORDINALITY s(c, n)) l) <= 1000 THEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') ELSE FALSE END THEN t0."EXTRA_JSON"::jsonb END #> $1::text[])) = 'number' THEN ((CASE WHEN CASE WHEN length(t0."EXTRA_JSON"::text) - length(translate(t0."EXTRA_JSON"::text, '[{', '')) <= 1000 OR (SELECT COALESCE(MAX(d), 0)
FROM (SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d
FROM string_to_table(regexp_replace(regexp_replace(t0."EXTRA_JSON"::text, '"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"', '""', 'g'), '[^][{}]', '', 'g'), NULL) WITH ORDINALITY s(c, n)) l) <= 1000 THEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') ELSE FALSE END THEN t0."EXTRA_JSON"::jsonb END #> $1::text[]) #>> '{}')::numeric END AS "c3"
FROM "HR"."TBL_EMP" t0) v
WHERE (v."c1" IS NOT NULL OR v."c2" IS NOT NULL OR (v."c3" IS NOT NULL AND NOT v."c3" IN ('NaN'::"numeric"))) GROUP BY v."c1", LOWER(v."c2"), v."c3") a
ORDER BY a."c2" NULLS FIRST, a."c4" NULLS FIRST, a."c0" NULLS FIRST
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "{\"nick\"}"
-- 2: "0"
-- 3: "10001"
