-- entity
SELECT t0."CURR_CD", t0."RATE_DT", t0."RATE_VAL", t0."SPREAD_VAL"
FROM "SALES"."EXC_RATE" t0
WHERE (t0."CURR_CD" = $1::"bpchar" AND t0."RATE_DT" = $2::"date");
-- 1: "USD"
-- 2: "2024-01-31"

-- together with the same
SELECT s.*, k.o FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k(v1, v2, o)
CROSS JOIN LATERAL (SELECT t0."CURR_CD", t0."RATE_DT", t0."RATE_VAL", t0."SPREAD_VAL"
FROM "SALES"."EXC_RATE" t0
WHERE (t0."CURR_CD" = k.v1::"bpchar" AND t0."RATE_DT" = k.v2::"date")) s;
-- 1: "{\"USD\",\"USD\"}"
-- 2: "{\"2024-01-31\",\"2024-01-31\"}"
