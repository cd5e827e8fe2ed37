-- values
SELECT a."c0", a."c1"
FROM (SELECT COUNT(*) AS "c0", MAX(v."c0") AS "c1"
FROM (SELECT t1."CRED_LIM" AS "c0"
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID") v
WHERE (v."c0" IS NOT NULL AND NOT v."c0" IN ('NaN'::"numeric"))) a;
