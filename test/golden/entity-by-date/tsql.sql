-- entity
SELECT CONVERT(nvarchar(10), t0."HOL_DT", 23), t0."HOL_NM", t0."CTRY_CD", t0."HALF_FL", CONVERT(nvarchar(16), t0."CLOSE_TM", 121), (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."CAL_HOL" t0
WHERE (t0."HOL_DT" = CONVERT(date, @p1, 23));
-- 1: "2024-07-14"
