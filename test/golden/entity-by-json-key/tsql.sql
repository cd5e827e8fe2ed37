-- entity
SELECT t0."CURR_CD", t0."RATE_DT", t0."RATE_VAL", t0."SPREAD_VAL"
FROM "SALES"."EXC_RATE" t0
WHERE ((t0."CURR_CD" = CONVERT(varchar(8000), @p1 COLLATE Latin1_General_100_CI_AS) AND t0."CURR_CD" = @p1) AND t0."RATE_DT" = CONVERT(date, @p2, 23));
-- 1: "USD"
-- 2: "2024-01-31"
