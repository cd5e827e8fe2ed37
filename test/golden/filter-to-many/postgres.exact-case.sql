-- page
SELECT t0."CMP_ID", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."CMP_MST" t0
WHERE (EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t1
WHERE (t1."COMP_ID" = t0."CMP_ID" AND t1."LAST_NM" = $1::"varchar")))
ORDER BY t0."CMP_ID"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "Smith"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."CMP_MST" t0
WHERE (EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t1
WHERE (t1."COMP_ID" = t0."CMP_ID" AND t1."LAST_NM" = $1::"varchar")));
-- 1: "Smith"
