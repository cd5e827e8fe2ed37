-- page
SELECT t0."USER_ID", t0."REC_VER", t0."MOD_DT", t0."GROUP", t0."ORDER", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."USER" t0
WHERE ((t0."GROUP" = CONVERT(varchar(8000), @p1 COLLATE Latin1_General_100_CI_AS) AND t0."GROUP" = @p1))
ORDER BY t0."ORDER", t0."USER_ID"
OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (OPTIMIZE FOR (@p2 = 0, @p3 = 100));
-- 1: "admin"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT_BIG(*)
FROM "HR"."USER" t0
WHERE ((t0."GROUP" = CONVERT(varchar(8000), @p1 COLLATE Latin1_General_100_CI_AS) AND t0."GROUP" = @p1));
-- 1: "admin"
