-- entity
SELECT t0."EMP_NO", t0."REC_VER", t0."MOD_DT", t0."FIRST_NM", t1."CMP_ID", ISNULL(t1."REC_VER", 0), t1."MOD_DT", t1."CMP_NM"
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID"
WHERE (t0."EMP_NO" = @p1);
-- 1: "3"
