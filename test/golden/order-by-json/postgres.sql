-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
ORDER BY CASE WHEN jsonb_typeof((CASE WHEN CASE WHEN length(t0."EXTRA_JSON"::text) - length(translate(t0."EXTRA_JSON"::text, '[{', '')) <= 1000 OR (SELECT COALESCE(MAX(d), 0)
FROM (SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d
FROM string_to_table(regexp_replace(regexp_replace(t0."EXTRA_JSON"::text, '"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"', '""', 'g'), '[^][{}]', '', 'g'), NULL) WITH ORDINALITY s(c, n)) l) <= 1000 THEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') ELSE FALSE END THEN t0."EXTRA_JSON"::jsonb END #> $1::text[])) NOT IN ('object', 'array') THEN (CASE WHEN CASE WHEN length(t0."EXTRA_JSON"::text) - length(translate(t0."EXTRA_JSON"::text, '[{', '')) <= 1000 OR (SELECT COALESCE(MAX(d), 0)
FROM (SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d
FROM string_to_table(regexp_replace(regexp_replace(t0."EXTRA_JSON"::text, '"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"', '""', 'g'), '[^][{}]', '', 'g'), NULL) WITH ORDINALITY s(c, n)) l) <= 1000 THEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') ELSE FALSE END THEN t0."EXTRA_JSON"::jsonb END #> $1::text[]) #>> '{}' END DESC NULLS LAST, t0."EMP_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "{\"nick\"}"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0;
