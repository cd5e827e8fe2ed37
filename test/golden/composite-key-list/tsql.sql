-- page
SELECT t0."ORD_NO", t0."LINE_NO", COALESCE(NULLIF(CAST(t0."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)), CONVERT(varchar(27), t0."MOD_DT", 126), t0."QTY", CONVERT(bigint, @@DBTS)
FROM "SALES"."Order Details" t0
WHERE (((t0."ORD_NO" = @p1 AND t0."LINE_NO" = @p2) OR (t0."ORD_NO" = @p3 AND t0."LINE_NO" = @p4)))
ORDER BY t0."ORD_NO", t0."LINE_NO"
OFFSET @p5 ROWS FETCH NEXT @p6 ROWS ONLY;
-- 1: "7"
-- 2: "1"
-- 3: "7"
-- 4: "2"
-- 5: "0"
-- 6: "100"

-- count
SELECT COUNT_BIG(*)
FROM "SALES"."Order Details" t0
WHERE (((t0."ORD_NO" = @p1 AND t0."LINE_NO" = @p2) OR (t0."ORD_NO" = @p3 AND t0."LINE_NO" = @p4)));
-- 1: "7"
-- 2: "1"
-- 3: "7"
-- 4: "2"
