-- entity
SELECT t0."EMP_NO", t0."REC_VER", t0."MOD_DT", t1."CMP_ID"
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID" AND NOT (t1."IS_CUST" = @p1)
WHERE (t0."EMP_NO" = @p2);
-- 1: "false"
-- 2: "5"
