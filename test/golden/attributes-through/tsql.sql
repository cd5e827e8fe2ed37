-- page
SELECT t0."EMP_NO", t0."REC_VER", t0."MOD_DT", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."TBL_EMP" t0
ORDER BY t0."EMP_NO"
OFFSET @p1 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (OPTIMIZE FOR (@p1 = 0, @p2 = 100));
-- 1: "0"
-- 2: "100"

-- count
SELECT COUNT_BIG(*)
FROM "HR"."TBL_EMP" t0;

-- related 1: Project
SELECT k.o, n.n, x.c0, x.c1, x.c2, x.c3
FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]') k CROSS APPLY (SELECT COUNT_BIG(*) AS n
FROM (SELECT DISTINCT t1."PRJ_ID" AS j0
FROM "HR"."EMP_PRJ" t1
WHERE t1."EMP_NO" = k.k0) l
JOIN "HR"."PRJ_HDR" t0 ON t0."PRJ_ID" = l.j0) n CROSS APPLY (SELECT TOP (100) ROW_NUMBER() OVER (ORDER BY t0."PRJ_ID") AS r, t0."PRJ_ID" AS c0, t0."REC_VER" AS c1, t0."MOD_DT" AS c2, t0."PRJ_NM" AS c3
FROM (SELECT DISTINCT t1."PRJ_ID" AS j0
FROM "HR"."EMP_PRJ" t1
WHERE t1."EMP_NO" = k.k0) l
JOIN "HR"."PRJ_HDR" t0 ON t0."PRJ_ID" = l.j0
ORDER BY t0."PRJ_ID") x
ORDER BY k.o, x.r;
-- 1: the keys of the parents
