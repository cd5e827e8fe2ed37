-- values
SELECT a."c0", CONVERT(nvarchar(42), a."c1")
FROM (SELECT COUNT_BIG(v."c0") AS "c0", SUM(CONVERT(bigint, v."c0")) AS "c1"
FROM (SELECT t0."GRADE_CD" AS "c0"
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID"
WHERE (t1."CITY_NM" = @p1)
ORDER BY t0."LAST_NM" DESC, t0."EMP_NO"
OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY) v
WHERE v."c0" IS NOT NULL) a OPTION (OPTIMIZE FOR (@p2 = 0, @p3 = 100));
-- 1: "Lyon"
-- 2: "5"
-- 3: "10"
