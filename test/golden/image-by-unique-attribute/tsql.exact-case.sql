-- slice
SELECT t0."REC_VER", CAST(DATALENGTH(t0."PHOTO_IMG") AS bigint), SUBSTRING(t0."PHOTO_IMG", @p1 + 1, @p2)
FROM "HR"."TBL_EMP" t0
WHERE ((t0."EMAIL" = CONVERT(varchar(8000), @p3 COLLATE Latin1_General_100_CI_AS) AND t0."EMAIL" = @p3));
-- 1: which bytes
-- 2: which bytes
-- 3: "ada@example.com"
