-- values
SELECT CONVERT(nvarchar(10), a."c0", 23)
FROM (SELECT v."c0" AS "c0"
FROM (SELECT t0."BIRTH_DT" AS "c0"
FROM "HR"."TBL_EMP" t0
WHERE (t0."GRADE_CD" = @p1)) v
WHERE (v."c0" IS NOT NULL) GROUP BY v."c0") a
ORDER BY a."c0"
OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (OPTIMIZE FOR (@p2 = 0, @p3 = 100));
-- 1: "3"
-- 2: "2"
-- 3: "10001"
