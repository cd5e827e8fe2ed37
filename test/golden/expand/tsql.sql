-- page
SELECT t0."ORD_NO", t0."REC_VER", t0."MOD_DT", t0."ORD_DT", t0."ORD_TS", t0."REQ_DT", t0."STAT_CD", t0."CURR_CD", t0."TOT_AMT", t0."PAID_FL", t0."NOTE_TX", t1."CMP_ID", ISNULL(t1."REC_VER", 0), t1."MOD_DT", t1."CMP_NM", t1."CITY_NM", t1."STREET_TX", t1."REG_NO", t1."CRED_LIM", t1."FOUND_DT", t1."IS_CUST", t1."LAT_DEG", t1."LON_DEG", t1."WEB_URL", CAST(CASE WHEN t1."LOGO_IMG" IS NULL THEN 0 ELSE 1 END AS bit), t1."ATTR_JSON", t1."CTRY_CD", t0."SHIP_TO", t0."REP_NO", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "SALES"."ORD_HDR" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."BILL_TO" = t1."CMP_ID"
ORDER BY t0."ORD_NO"
OFFSET @p1 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (OPTIMIZE FOR (@p1 = 0, @p2 = 100));
-- 1: "0"
-- 2: "3"

-- count
SELECT COUNT_BIG(*)
FROM "SALES"."ORD_HDR" t0;

-- related 1: OrderLine
SELECT k.o, n.n, x.c0, x.c1, x.c2, x.c3, x.c4, x.c5, x.c6, x.c7, x.c8, x.c9, x.c10
FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]') k CROSS APPLY (SELECT COUNT_BIG(*) AS n
FROM "SALES"."Order Details" t0
WHERE t0."ORD_NO" = k.k0) n CROSS APPLY (SELECT TOP (100) ROW_NUMBER() OVER (ORDER BY t0."ORD_NO", t0."LINE_NO") AS r, t0."ORD_NO" AS c0, t0."LINE_NO" AS c1, t0."REC_VER" AS c2, t0."MOD_DT" AS c3, t0."QTY" AS c4, t0."UNIT_PRC" AS c5, t0."DISC]PCT" AS c6, t0."LINE_AMT" AS c7, t0."SHIP_DT" AS c8, t0."REMARK_TX" AS c9, t0."PRD_ID" AS c10
FROM "SALES"."Order Details" t0
WHERE t0."ORD_NO" = k.k0
ORDER BY t0."ORD_NO", t0."LINE_NO") x
ORDER BY k.o, x.r;
-- 1: the keys of the parents
