-- page
SELECT t0."EMP_NO", t0."REC_VER", t0."MOD_DT", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."TBL_EMP" t0
WHERE (((t0."GRADE_CD" = @p1 OR t0."GRADE_CD" = @p2) AND t0."ACTIVE_FL" = @p3))
ORDER BY t0."EMP_NO"
OFFSET @p4 ROWS FETCH NEXT @p5 ROWS ONLY OPTION (OPTIMIZE FOR (@p4 = 0, @p5 = 100));
-- 1: "1"
-- 2: "2"
-- 3: "true"
-- 4: "0"
-- 5: "100"

-- count
SELECT COUNT_BIG(*)
FROM "HR"."TBL_EMP" t0
WHERE (((t0."GRADE_CD" = @p1 OR t0."GRADE_CD" = @p2) AND t0."ACTIVE_FL" = @p3));
-- 1: "1"
-- 2: "2"
-- 3: "true"
