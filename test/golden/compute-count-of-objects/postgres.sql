-- values
SELECT a."c0"
FROM (SELECT COUNT(*) AS "c0"
FROM (SELECT t0."EXTRA_JSON" AS "c0"
FROM "HR"."TBL_EMP" t0) v
WHERE NOT (v."c0" IS NULL OR btrim(v."c0"::text, E' \t\n\r') = 'null')) a;
