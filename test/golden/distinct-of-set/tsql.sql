-- values
SELECT a."c0"
FROM (SELECT MIN(CONVERT(nvarchar(80), v."c0") COLLATE Latin1_General_BIN2) AS "c0", MIN(v."c0") AS "c1"
FROM (SELECT t1."CMP_NM" AS "c0"
FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]') k
JOIN "HR"."TBL_EMP" t0 ON t0."EMP_NO" = k.k0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID") v
WHERE (v."c0" IS NOT NULL) GROUP BY v."c0") a
ORDER BY a."c1"
OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (OPTIMIZE FOR (@p2 = 0, @p3 = 100));
-- 1: the keys of the parents
-- 2: "0"
-- 3: "10001"
