-- page
SELECT t0."CMP_ID", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."CMP_MST" t0
WHERE ((EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t1
WHERE (t1."COMP_ID" = t0."CMP_ID" AND t1."GRADE_CD" > $1::"int2")) AND EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t2
WHERE (t2."COMP_ID" = t0."CMP_ID" AND t2."ACTIVE_FL" = $2::"bool"))))
ORDER BY t0."CMP_ID"
LIMIT $4::bigint
OFFSET $3::bigint;
-- 1: "8"
-- 2: "false"
-- 3: "0"
-- 4: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."CMP_MST" t0
WHERE ((EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t1
WHERE (t1."COMP_ID" = t0."CMP_ID" AND t1."GRADE_CD" > $1::"int2")) AND EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t2
WHERE (t2."COMP_ID" = t0."CMP_ID" AND t2."ACTIVE_FL" = $2::"bool"))));
-- 1: "8"
-- 2: "false"
