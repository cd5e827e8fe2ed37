-- values
SELECT a."c0", a."c1"
FROM (SELECT COUNT_BIG(*) AS "c0", SUM(CONVERT(bigint, v."c0")) AS "c1"
FROM (SELECT t0."GRADE_CD" AS "c0"
FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]') k
JOIN "HR"."TBL_EMP" t0 ON t0."EMP_NO" = k.k0
WHERE (t0."EMP_NO" < @p2)) v
WHERE v."c0" IS NOT NULL) a;
-- 1: the keys of the parents
-- 2: "10"
