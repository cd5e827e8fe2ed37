-- page
SELECT t0."ORD_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."ORD_DT", t0."ORD_TS", t0."REQ_DT", t0."STAT_CD", t0."CURR_CD", t0."TOT_AMT", t0."PAID_FL", t0."NOTE_TX", t1."CMP_ID", COALESCE(NULLIF(t1."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t1."MOD_DT", t1."CMP_NM", t1."CITY_NM", t1."STREET_TX", t1."REG_NO", t1."CRED_LIM", t1."FOUND_DT", t1."IS_CUST", t1."LAT_DEG", t1."LON_DEG", t1."WEB_URL", (t1."LOGO_IMG" IS NOT NULL), t1."ATTR_JSON", t1."CTRY_CD", t0."SHIP_TO", t0."REP_NO", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."ORD_HDR" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."BILL_TO" = t1."CMP_ID"
ORDER BY t0."ORD_NO"
LIMIT $2::bigint
OFFSET $1::bigint;
-- 1: "0"
-- 2: "3"

-- count
SELECT COUNT(*)
FROM "SALES"."ORD_HDR" t0;

-- related 1: OrderLine
SELECT x.o, x.n, x.c0, x.c1, x.c2, x.c3, x.c4, x.c5, x.c6, x.c7, x.c8, x.c9, x.c10
FROM (SELECT k.o AS o, COUNT(*) OVER (PARTITION BY k.o) AS n, ROW_NUMBER() OVER (PARTITION BY k.o ORDER BY t0."ORD_NO", t0."LINE_NO") AS r, t0."ORD_NO" AS c0, t0."LINE_NO" AS c1, COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991) AS c2, t0."MOD_DT" AS c3, t0."QTY" AS c4, t0."UNIT_PRC" AS c5, t0."DISC]PCT" AS c6, t0."LINE_AMT" AS c7, t0."SHIP_DT" AS c8, t0."REMARK_TX" AS c9, t0."PRD_ID" AS c10
FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0
FROM json_array_elements($1::json) e
LIMIT json_array_length($1::json)) k
JOIN "SALES"."Order Details" t0 ON t0."ORD_NO" = k.k0) x
WHERE x.r <= 100
ORDER BY x.o, x.r;
-- 1: the keys of the parents
