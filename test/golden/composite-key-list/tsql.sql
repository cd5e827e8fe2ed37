-- page
SELECT t0."ORD_NO", t0."LINE_NO", t0."REC_VER", t0."MOD_DT", t0."QTY", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "SALES"."Order Details" t0
WHERE (EXISTS (SELECT 1
FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]', k1 smallint '$[2]') k
WHERE t0."ORD_NO" = k.k0 AND t0."LINE_NO" = k.k1))
ORDER BY t0."ORD_NO", t0."LINE_NO"
OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (OPTIMIZE FOR (@p2 = 0, @p3 = 100));
-- 1: "[[0,\"7\",\"1\"],[1,\"7\",\"2\"]]"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT_BIG(*)
FROM "SALES"."Order Details" t0
WHERE (EXISTS (SELECT 1
FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]', k1 smallint '$[2]') k
WHERE t0."ORD_NO" = k.k0 AND t0."LINE_NO" = k.k1));
-- 1: "[[0,\"7\",\"1\"],[1,\"7\",\"2\"]]"
