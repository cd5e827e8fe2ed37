-- page
SELECT t0."USER_ID", COALESCE(NULLIF(CAST(t0."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)), CONVERT(nvarchar(27), t0."MOD_DT", 126), t0."GROUP", t0."ORDER", CONVERT(bigint, @@DBTS)
FROM "HR"."USER" t0
WHERE ((t0."GROUP" = CONVERT(varchar(8000), @p1 COLLATE Latin1_General_100_CI_AS) AND t0."GROUP" = @p1))
ORDER BY t0."ORDER", t0."USER_ID"
OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1: "admin"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT_BIG(*)
FROM "HR"."USER" t0
WHERE ((t0."GROUP" = CONVERT(varchar(8000), @p1 COLLATE Latin1_General_100_CI_AS) AND t0."GROUP" = @p1));
-- 1: "admin"
