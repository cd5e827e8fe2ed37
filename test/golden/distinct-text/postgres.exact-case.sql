-- values
SELECT a."c0"
FROM (SELECT v."c0" AS "c0"
FROM (SELECT t1."CTRY_NM" AS "c0"
FROM "SALES"."CMP_MST" t0
LEFT JOIN "SALES"."CTRY_REF" t1 ON t0."CTRY_CD" = t1."CTRY_CD") v
WHERE (v."c0" IS NOT NULL) GROUP BY v."c0") a
ORDER BY a."c0" DESC
LIMIT $2::bigint
OFFSET $1::bigint;
-- 1: "0"
-- 2: "10001"
