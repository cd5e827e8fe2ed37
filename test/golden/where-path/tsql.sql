-- origin
SELECT (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."TBL_EMP" t0
WHERE (t0."EMP_NO" = @p1 AND t0."ACTIVE_FL" = @p2);
-- 1: "5"
-- 2: "true"

-- entity
SELECT t0."CMP_ID", t0."REC_VER", t0."MOD_DT", t0."CMP_NM", t0."CITY_NM", t0."STREET_TX", t0."REG_NO", t0."CRED_LIM", t0."FOUND_DT", t0."IS_CUST", t0."LAT_DEG", t0."LON_DEG", t0."WEB_URL", CAST(CASE WHEN t0."LOGO_IMG" IS NULL THEN 0 ELSE 1 END AS bit), t0."ATTR_JSON", t0."CTRY_CD"
FROM "SALES"."CMP_MST" t0
WHERE (EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t1
WHERE (t1."EMP_NO" = @p1 AND t1."ACTIVE_FL" = @p2 AND t0."CMP_ID" = t1."COMP_ID")) AND t0."IS_CUST" = @p3);
-- 1: "5"
-- 2: "true"
-- 3: "true"
