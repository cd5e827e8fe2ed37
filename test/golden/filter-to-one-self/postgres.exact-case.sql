-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "HR"."TBL_EMP" t1 ON t0."MGR_NO" = t1."EMP_NO"
LEFT JOIN "HR"."TBL_EMP" t2 ON t1."MGR_NO" = t2."EMP_NO"
WHERE ((t2."LAST_NM" LIKE $1::text ESCAPE '\' AND t1."GRADE_CD" > $2::"int2"))
ORDER BY t0."EMP_NO"
LIMIT $4::bigint
OFFSET $3::bigint;
-- 1: "D%"
-- 2: "5"
-- 3: "0"
-- 4: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "HR"."TBL_EMP" t1 ON t0."MGR_NO" = t1."EMP_NO"
LEFT JOIN "HR"."TBL_EMP" t2 ON t1."MGR_NO" = t2."EMP_NO"
WHERE ((t2."LAST_NM" LIKE $1::text ESCAPE '\' AND t1."GRADE_CD" > $2::"int2"));
-- 1: "D%"
-- 2: "5"
