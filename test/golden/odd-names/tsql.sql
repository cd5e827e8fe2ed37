-- page
SELECT t0."ORD_NO", t0."LINE_NO", t0."REC_VER", t0."MOD_DT", t0."DISC]PCT", t1."ORD_NO", ISNULL(t1."REC_VER", 0), t1."MOD_DT", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "SALES"."Order Details" t0
LEFT JOIN "SALES"."ORD_HDR" t1 ON t0."ORD_NO" = t1."ORD_NO"
WHERE (t0."DISC]PCT" > CONVERT(decimal(5,2), @p1))
ORDER BY t0."ORD_NO", t0."LINE_NO"
OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (OPTIMIZE FOR (@p2 = 0, @p3 = 100));
-- 1: "12.5"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT_BIG(*)
FROM "SALES"."Order Details" t0
WHERE (t0."DISC]PCT" > CONVERT(decimal(5,2), @p1));
-- 1: "12.5"
