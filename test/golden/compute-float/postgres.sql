-- values
SELECT a."c0", a."c1"
FROM (SELECT COUNT(*) AS "c0", SUM(v."c0"::float8) AS "c1"
FROM (SELECT t0."DONE_PCT" AS "c0"
FROM "HR"."PRJ_HDR" t0) v
WHERE (v."c0" IS NOT NULL AND NOT v."c0" IN ('Infinity'::"float4", 'NaN'::"float4", '-Infinity'::"float4"))) a;
