-- entity
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t1."CMP_ID"
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID" AND NOT (t1."IS_CUST" = $1::"bool")
WHERE (t0."EMP_NO" = $2::"int4");
-- 1: "false"
-- 2: "5"
