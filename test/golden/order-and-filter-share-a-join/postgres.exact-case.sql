-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t1."CMP_ID", COALESCE(NULLIF(t1."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t1."MOD_DT", t1."CMP_NM", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID"
WHERE (t1."CITY_NM" = $1::"varchar")
ORDER BY t1."CMP_NM" NULLS FIRST, t0."EMP_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "Lyon"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID"
WHERE (t1."CITY_NM" = $1::"varchar");
-- 1: "Lyon"
