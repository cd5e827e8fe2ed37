-- entity
SELECT CONVERT(nvarchar(10), t0."HOL_DT", 23), COALESCE(NULLIF(CONVERT(bigint, SUBSTRING(HASHBYTES('SHA2_256', CONCAT(CONVERT(nvarchar(max), N''), COALESCE(N'=' + CONVERT(nvarchar(10), t0."HOL_DT", 23), N'-'), N'|', COALESCE(N'=' + CONVERT(nvarchar(max), t0."HOL_NM"), N'-'), N'|', COALESCE(N'=' + CONVERT(nvarchar(max), t0."CTRY_CD"), N'-'), N'|', COALESCE(N'=' + CONVERT(varchar(20), t0."HALF_FL"), N'-'), N'|', COALESCE(N'=' + CONVERT(nvarchar(16), t0."CLOSE_TM", 121), N'-'), N'|')), 1, 7)) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)), t0."HOL_NM", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."CAL_HOL" t0
WHERE (t0."HOL_DT" = CONVERT(date, @p1, 23));
-- 1: "2024-07-14"
