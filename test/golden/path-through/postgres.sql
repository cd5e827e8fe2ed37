-- origin
SELECT (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."PRJ_HDR" t0
WHERE (t0."PRJ_ID" = $1::"int4");
-- 1: "1"

-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."LAST_NM", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (EXISTS (SELECT 1
FROM "HR"."PRJ_HDR" t1
JOIN "HR"."EMP_PRJ" t2 ON t1."PRJ_ID" = t2."PRJ_ID"
WHERE (t1."PRJ_ID" = $1::"int4" AND t0."EMP_NO" = t2."EMP_NO")))
ORDER BY t0."EMP_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "1"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
WHERE (EXISTS (SELECT 1
FROM "HR"."PRJ_HDR" t1
JOIN "HR"."EMP_PRJ" t2 ON t1."PRJ_ID" = t2."PRJ_ID"
WHERE (t1."PRJ_ID" = $1::"int4" AND t0."EMP_NO" = t2."EMP_NO")));
-- 1: "1"
