-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (CASE WHEN jsonb_typeof((CASE WHEN CASE WHEN length(t0."EXTRA_JSON"::text) - length(translate(t0."EXTRA_JSON"::text, '[{', '')) <= 1000 OR (SELECT COALESCE(MAX(d), 0)
FROM (SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d
FROM string_to_table(regexp_replace(regexp_replace(t0."EXTRA_JSON"::text, '"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"', '""', 'g'), '[^][{}]', '', 'g'), NULL) WITH ORDINALITY s(c, n)) l) <= 1000 THEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') ELSE FALSE END THEN t0."EXTRA_JSON"::jsonb END #> $1::text[])) = 'number' THEN ((CASE WHEN CASE WHEN length(t0."EXTRA_JSON"::text) - length(translate(t0."EXTRA_JSON"::text, '[{', '')) <= 1000 OR (SELECT COALESCE(MAX(d), 0)
FROM (SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d
FROM string_to_table(regexp_replace(regexp_replace(t0."EXTRA_JSON"::text, '"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"', '""', 'g'), '[^][{}]', '', 'g'), NULL) WITH ORDINALITY s(c, n)) l) <= 1000 THEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') ELSE FALSE END THEN t0."EXTRA_JSON"::jsonb END #> $1::text[]) #>> '{}')::numeric END >= $2::"numeric")
ORDER BY t0."EMP_NO"
LIMIT $4::bigint
OFFSET $3::bigint;
-- 1: "{\"level\"}"
-- 2: "2.5"
-- 3: "0"
-- 4: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
WHERE (CASE WHEN jsonb_typeof((CASE WHEN CASE WHEN length(t0."EXTRA_JSON"::text) - length(translate(t0."EXTRA_JSON"::text, '[{', '')) <= 1000 OR (SELECT COALESCE(MAX(d), 0)
FROM (SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d
FROM string_to_table(regexp_replace(regexp_replace(t0."EXTRA_JSON"::text, '"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"', '""', 'g'), '[^][{}]', '', 'g'), NULL) WITH ORDINALITY s(c, n)) l) <= 1000 THEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') ELSE FALSE END THEN t0."EXTRA_JSON"::jsonb END #> $1::text[])) = 'number' THEN ((CASE WHEN CASE WHEN length(t0."EXTRA_JSON"::text) - length(translate(t0."EXTRA_JSON"::text, '[{', '')) <= 1000 OR (SELECT COALESCE(MAX(d), 0)
FROM (SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d
FROM string_to_table(regexp_replace(regexp_replace(t0."EXTRA_JSON"::text, '"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"', '""', 'g'), '[^][{}]', '', 'g'), NULL) WITH ORDINALITY s(c, n)) l) <= 1000 THEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') ELSE FALSE END THEN t0."EXTRA_JSON"::jsonb END #> $1::text[]) #>> '{}')::numeric END >= $2::"numeric");
-- 1: "{\"level\"}"
-- 2: "2.5"
