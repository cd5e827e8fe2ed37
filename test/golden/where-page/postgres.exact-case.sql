-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."LAST_NM", t1."CMP_ID", COALESCE(NULLIF(t1."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t1."MOD_DT", t1."CMP_NM", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID" AND t1."IS_CUST" = $1::"bool"
WHERE (t0."ACTIVE_FL" = $2::"bool" AND t1."CMP_NM" LIKE $3::text ESCAPE '\')
ORDER BY t0."EMP_NO"
LIMIT $5::bigint
OFFSET $4::bigint;
-- 1: "true"
-- 2: "true"
-- 3: "Ac%"
-- 4: "0"
-- 5: "2"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID" AND t1."IS_CUST" = $1::"bool"
WHERE (t0."ACTIVE_FL" = $2::"bool" AND t1."CMP_NM" LIKE $3::text ESCAPE '\');
-- 1: "true"
-- 2: "true"
-- 3: "Ac%"
