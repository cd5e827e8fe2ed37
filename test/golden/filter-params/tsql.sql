-- page
SELECT t0."EMP_NO", t0."REC_VER", t0."MOD_DT", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."TBL_EMP" t0
WHERE ((t0."LAST_NM" = @p1 AND t0."GRADE_CD" IN (@p2, @p3, @p4) AND t0."ACTIVE_FL" = @p5))
ORDER BY t0."EMP_NO"
OFFSET @p6 ROWS FETCH NEXT @p7 ROWS ONLY OPTION (OPTIMIZE FOR (@p6 = 0, @p7 = 100));
-- 1: "O'Reilly"
-- 2: "1"
-- 3: "2"
-- 4: "2"
-- 5: "true"
-- 6: "0"
-- 7: "100"

-- count
SELECT COUNT_BIG(*)
FROM "HR"."TBL_EMP" t0
WHERE ((t0."LAST_NM" = @p1 AND t0."GRADE_CD" IN (@p2, @p3, @p4) AND t0."ACTIVE_FL" = @p5));
-- 1: "O'Reilly"
-- 2: "1"
-- 3: "2"
-- 4: "2"
-- 5: "true"
