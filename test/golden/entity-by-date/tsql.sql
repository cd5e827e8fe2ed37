-- entity
SELECT t0."HOL_DT", t0."HOL_NM", t0."CTRY_CD", t0."HALF_FL", t0."CLOSE_TM"
FROM "HR"."CAL_HOL" t0
WHERE (t0."HOL_DT" = CONVERT(date, @p1, 23));
-- 1: "2024-07-14"
