-- page
SELECT t0."EMP_NO", t0."REC_VER", t0."MOD_DT", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."TBL_EMP" t0
WHERE (t0."LAST_NM" <> @p1)
ORDER BY t0."EMP_NO"
OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (OPTIMIZE FOR (@p2 = 0, @p3 = 100));
-- 1: "Smith"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT_BIG(*)
FROM "HR"."TBL_EMP" t0
WHERE (t0."LAST_NM" <> @p1);
-- 1: "Smith"
