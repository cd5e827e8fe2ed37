-- origin
SELECT (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."CMP_MST" t0
WHERE (t0."CMP_ID" = $1::"int4");
-- 1: "1"

-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (EXISTS (SELECT 1
FROM "SALES"."CMP_MST" t1
WHERE (t1."CMP_ID" = $1::"int4" AND t0."COMP_ID" = t1."CMP_ID")))
ORDER BY t0."LAST_NM", t0."EMP_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "1"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
WHERE (EXISTS (SELECT 1
FROM "SALES"."CMP_MST" t1
WHERE (t1."CMP_ID" = $1::"int4" AND t0."COMP_ID" = t1."CMP_ID")));
-- 1: "1"
