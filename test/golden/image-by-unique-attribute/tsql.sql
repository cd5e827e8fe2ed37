-- slice
SELECT t0."REC_VER", CAST(DATALENGTH(t0."PHOTO_IMG") AS bigint), SUBSTRING(t0."PHOTO_IMG", @p1 + 1, @p2)
FROM "HR"."TBL_EMP" t0
WHERE (((t0."EMAIL" = CONVERT(varchar(8000), @p3 COLLATE Latin1_General_100_CI_AS) AND t0."EMAIL" = @p3) OR ((t0."EMAIL" = CONVERT(varchar(8000), @p4 COLLATE Latin1_General_100_CI_AS) AND t0."EMAIL" = @p4) AND NOT (EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t1
WHERE ((t1."EMAIL" = CONVERT(varchar(8000), @p5 COLLATE Latin1_General_100_CI_AS) AND t1."EMAIL" = @p5)))))))
ORDER BY t0."EMP_NO";
-- 1: which bytes
-- 2: which bytes
-- 3: "ada@example.com"
-- 4: "ada@example.com"
-- 5: "ada@example.com"
