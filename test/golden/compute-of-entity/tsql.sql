-- origin
SELECT (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."TBL_EMP" t0
WHERE (t0."EMP_NO" = @p1);
-- 1: "1"

-- values
SELECT a."c0"
FROM (SELECT COUNT_BIG(*) AS "c0"
FROM (SELECT t0."GRADE_CD" AS "c0"
FROM "HR"."TBL_EMP" t0
WHERE (t0."EMP_NO" = @p1)) v
WHERE v."c0" IS NOT NULL) a;
-- 1: "1"
