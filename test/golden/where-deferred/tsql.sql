-- entity
SELECT t0."EMP_NO", COALESCE(NULLIF(CAST(t0."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)), CONVERT(nvarchar(27), t0."MOD_DT", 126), t1."CMP_ID", CONVERT(bigint, @@DBTS)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID" AND NOT (t1."IS_CUST" = @p1)
WHERE (t0."EMP_NO" = @p2);
-- 1: "false"
-- 2: "5"
