-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(CAST(t0."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)), CONVERT(nvarchar(27), t0."MOD_DT", 126), CONVERT(bigint, @@DBTS)
FROM "HR"."TBL_EMP" t0
WHERE (t0."GRADE_CD" IN (SELECT v
FROM OPENJSON(@p1) WITH (v tinyint '$')))
ORDER BY t0."EMP_NO"
OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1: "[\"1\",\"2\",\"3\"]"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT_BIG(*)
FROM "HR"."TBL_EMP" t0
WHERE (t0."GRADE_CD" IN (SELECT v
FROM OPENJSON(@p1) WITH (v tinyint '$')));
-- 1: "[\"1\",\"2\",\"3\"]"
