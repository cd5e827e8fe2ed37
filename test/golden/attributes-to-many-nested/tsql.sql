-- page
SELECT t0."CMP_ID", COALESCE(NULLIF(CAST(t0."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)), CONVERT(nvarchar(27), t0."MOD_DT", 126), CONVERT(bigint, @@DBTS)
FROM "SALES"."CMP_MST" t0
ORDER BY t0."CMP_ID"
OFFSET @p1 ROWS FETCH NEXT @p2 ROWS ONLY;
-- 1: "0"
-- 2: "100"

-- count
SELECT COUNT_BIG(*)
FROM "SALES"."CMP_MST" t0;

-- related 1: Employee
SELECT x.o, x.n, x.c0, x.c1, x.c2, x.c3, x.c4, x.c5, x.c6
FROM (SELECT k.o AS o, COUNT_BIG(*) OVER (PARTITION BY k.o) AS n, ROW_NUMBER() OVER (PARTITION BY k.o ORDER BY t0."EMP_NO") AS r, t0."EMP_NO" AS c0, COALESCE(NULLIF(CAST(t0."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)) AS c1, CONVERT(nvarchar(27), t0."MOD_DT", 126) AS c2, t1."CMP_ID" AS c3, COALESCE(NULLIF(CAST(t1."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)) AS c4, CONVERT(nvarchar(27), t1."MOD_DT", 126) AS c5, t1."CMP_NM" AS c6
FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]') k
JOIN "HR"."TBL_EMP" t0 ON t0."COMP_ID" = k.k0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID") x
WHERE x.r <= 100
ORDER BY x.o, x.r;
-- 1: the keys of the parents

-- related 1: Employee > 1: Order
SELECT x.o, x.n, x.c0, x.c1, x.c2
FROM (SELECT k.o AS o, COUNT_BIG(*) OVER (PARTITION BY k.o) AS n, ROW_NUMBER() OVER (PARTITION BY k.o ORDER BY t0."ORD_NO") AS r, t0."ORD_NO" AS c0, COALESCE(NULLIF(CAST(t0."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)) AS c1, CONVERT(nvarchar(27), t0."MOD_DT", 126) AS c2
FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]') k
JOIN "SALES"."ORD_HDR" t0 ON t0."REP_NO" = k.k0) x
WHERE x.r <= 100
ORDER BY x.o, x.r;
-- 1: the keys of the parents
