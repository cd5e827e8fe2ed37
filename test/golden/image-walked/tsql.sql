-- origin
SELECT (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."TBL_EMP" t0
WHERE (t0."EMP_NO" = @p1);
-- 1: "1"

-- slice
SELECT t0."REC_VER", CAST(DATALENGTH(t0."LOGO_IMG") AS bigint), SUBSTRING(t0."LOGO_IMG", @p1 + 1, @p2)
FROM "SALES"."CMP_MST" t0
WHERE (EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t1
WHERE (t1."EMP_NO" = @p3 AND t0."CMP_ID" = t1."COMP_ID")));
-- 1: which bytes
-- 2: which bytes
-- 3: "1"
