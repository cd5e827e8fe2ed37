-- page
SELECT t0."CMP_ID", COALESCE(NULLIF(CAST(t0."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)), CONVERT(nvarchar(27), t0."MOD_DT", 126), t0."CMP_NM", CONVERT(bigint, @@DBTS)
FROM "SALES"."CMP_MST" t0
ORDER BY t0."CMP_ID"
OFFSET @p1 ROWS FETCH NEXT @p2 ROWS ONLY;
-- 1: "0"
-- 2: "10"

-- count
SELECT COUNT_BIG(*)
FROM "SALES"."CMP_MST" t0;

-- related 1: Employee
SELECT x.o, x.n, x.c0, x.c1, x.c2, x.c3
FROM (SELECT k.o AS o, COUNT_BIG(*) OVER (PARTITION BY k.o) AS n, ROW_NUMBER() OVER (PARTITION BY k.o ORDER BY t0."EMP_NO") AS r, t0."EMP_NO" AS c0, COALESCE(NULLIF(CAST(t0."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)) AS c1, CONVERT(nvarchar(27), t0."MOD_DT", 126) AS c2, t0."LAST_NM" AS c3
FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]') k
JOIN "HR"."TBL_EMP" t0 ON t0."COMP_ID" = k.k0) x
WHERE x.r <= 100
ORDER BY x.o, x.r;
-- 1: the keys of the parents
