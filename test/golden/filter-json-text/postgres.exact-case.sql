-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (CASE WHEN jsonb_typeof((CASE WHEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') THEN t0."EXTRA_JSON"::jsonb END #> $1::text[])) NOT IN ('object', 'array') THEN (CASE WHEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') THEN t0."EXTRA_JSON"::jsonb END #> $1::text[]) #>> '{}' END = $2::"text")
ORDER BY t0."EMP_NO"
LIMIT $4::bigint
OFFSET $3::bigint;
-- 1: "{\"address\",\"city\"}"
-- 2: "Lyon"
-- 3: "0"
-- 4: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
WHERE (CASE WHEN jsonb_typeof((CASE WHEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') THEN t0."EXTRA_JSON"::jsonb END #> $1::text[])) NOT IN ('object', 'array') THEN (CASE WHEN pg_input_is_valid(t0."EXTRA_JSON"::text, 'jsonb') THEN t0."EXTRA_JSON"::jsonb END #> $1::text[]) #>> '{}' END = $2::"text");
-- 1: "{\"address\",\"city\"}"
-- 2: "Lyon"
