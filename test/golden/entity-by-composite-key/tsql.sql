-- entity
SELECT t0."ORD_NO", t0."LINE_NO", COALESCE(NULLIF(CAST(t0."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)), CONVERT(nvarchar(27), t0."MOD_DT", 126), t0."QTY", CONVERT(nvarchar(42), CONVERT(decimal(19, 4), t0."UNIT_PRC")), CONVERT(nvarchar(42), t0."DISC]PCT"), CONVERT(nvarchar(42), t0."LINE_AMT"), CONVERT(nvarchar(10), t0."SHIP_DT", 23), t0."REMARK_TX", t0."PRD_ID", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "SALES"."Order Details" t0
WHERE (t0."ORD_NO" = @p1 AND t0."LINE_NO" = @p2);
-- 1: "7"
-- 2: "2"
