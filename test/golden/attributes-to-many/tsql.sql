-- page
SELECT t0."CMP_ID", t0."REC_VER", t0."MOD_DT", t0."CMP_NM", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "SALES"."CMP_MST" t0
ORDER BY t0."CMP_ID"
OFFSET @p1 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (OPTIMIZE FOR (@p1 = 0, @p2 = 100));
-- 1: "0"
-- 2: "10"

-- count
SELECT COUNT_BIG(*)
FROM "SALES"."CMP_MST" t0;

-- related 1: Employee
SELECT k.o, n.n, x.c0, x.c1, x.c2, x.c3
FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]') k CROSS APPLY (SELECT COUNT_BIG(*) AS n
FROM "HR"."TBL_EMP" t0
WHERE t0."COMP_ID" = k.k0) n CROSS APPLY (SELECT TOP (100) ROW_NUMBER() OVER (ORDER BY t0."EMP_NO") AS r, t0."EMP_NO" AS c0, t0."REC_VER" AS c1, t0."MOD_DT" AS c2, t0."LAST_NM" AS c3
FROM "HR"."TBL_EMP" t0
WHERE t0."COMP_ID" = k.k0
ORDER BY t0."EMP_NO") x
ORDER BY k.o, x.r;
-- 1: the keys of the parents
