-- saved
SELECT t0."EMP_NO"
FROM "HR"."TBL_EMP" t0
WHERE (t0."GRADE_CD" > $1::"int2")
ORDER BY t0."EMP_NO";
-- 1: "1"

-- narrowing
SELECT k.o FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0
FROM json_array_elements($1::json) e
LIMIT json_array_length($1::json)) k
JOIN "HR"."TBL_EMP" t0 ON t0."EMP_NO" = k.k0
ORDER BY t0."EMP_NO";
-- 1: the keys of the parents

-- values
SELECT a."c0", a."c1"
FROM (SELECT COUNT(*) AS "c0", SUM(v."c0") AS "c1"
FROM (SELECT t0."GRADE_CD" AS "c0"
FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0
FROM json_array_elements($1::json) e
LIMIT json_array_length($1::json)) k
JOIN "HR"."TBL_EMP" t0 ON t0."EMP_NO" = k.k0) v
WHERE v."c0" IS NOT NULL) a;
-- 1: the keys of the parents
