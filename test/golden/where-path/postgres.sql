-- origin
SELECT (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (t0."EMP_NO" = $1::"int4" AND t0."ACTIVE_FL" = $2::"bool");
-- 1: "5"
-- 2: "true"

-- entity
SELECT t0."CMP_ID", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."CMP_NM", t0."CITY_NM", t0."STREET_TX", t0."REG_NO", t0."CRED_LIM", t0."FOUND_DT", t0."IS_CUST", t0."LAT_DEG", t0."LON_DEG", t0."WEB_URL", (t0."LOGO_IMG" IS NOT NULL), t0."ATTR_JSON", t0."CTRY_CD"
FROM "SALES"."CMP_MST" t0
WHERE (EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t1
WHERE (t1."EMP_NO" = $1::"int4" AND t1."ACTIVE_FL" = $2::"bool" AND t0."CMP_ID" = t1."COMP_ID")) AND t0."IS_CUST" = $3::"bool");
-- 1: "5"
-- 2: "true"
-- 3: "true"
