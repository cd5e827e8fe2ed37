-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID"
LEFT JOIN "SALES"."CTRY_REF" t2 ON t1."CTRY_CD" = t2."CTRY_CD"
WHERE (t2."CTRY_NM" = $1::"varchar")
ORDER BY t0."EMP_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "France"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID"
LEFT JOIN "SALES"."CTRY_REF" t2 ON t1."CTRY_CD" = t2."CTRY_CD"
WHERE (t2."CTRY_NM" = $1::"varchar");
-- 1: "France"
