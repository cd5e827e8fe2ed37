-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(CAST(t0."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)), CONVERT(nvarchar(27), t0."MOD_DT", 126), CONVERT(bigint, @@DBTS)
FROM "HR"."TBL_EMP" t0
ORDER BY t0."EMP_NO"
OFFSET @p1 ROWS FETCH NEXT @p2 ROWS ONLY;
-- 1: "0"
-- 2: "100"

-- count
SELECT COUNT_BIG(*)
FROM "HR"."TBL_EMP" t0;

-- related 1: Project
SELECT x.o, x.n, x.c0, x.c1, x.c2, x.c3
FROM (SELECT k.o AS o, COUNT_BIG(*) OVER (PARTITION BY k.o) AS n, ROW_NUMBER() OVER (PARTITION BY k.o ORDER BY t0."PRJ_ID") AS r, t0."PRJ_ID" AS c0, COALESCE(NULLIF(CAST(t0."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)) AS c1, CONVERT(nvarchar(27), t0."MOD_DT", 126) AS c2, t0."PRJ_NM" AS c3
FROM (SELECT DISTINCT k.o, t1."PRJ_ID" AS j0
FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]') k
JOIN "HR"."EMP_PRJ" t1 ON t1."EMP_NO" = k.k0) k
JOIN "HR"."PRJ_HDR" t0 ON t0."PRJ_ID" = k.j0) x
WHERE x.r <= 100
ORDER BY x.o, x.r;
-- 1: the keys of the parents
