-- entity
SELECT t0."CURR_CD", t0."RATE_DT", t0."RATE_VAL", t0."SPREAD_VAL"
FROM "SALES"."EXC_RATE" t0
WHERE (t0."CURR_CD" = $1::"bpchar" AND t0."RATE_DT" = $2::"date");
-- 1: "USD"
-- 2: "2024-01-31"
