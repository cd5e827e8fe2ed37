-- values
SELECT a."c0"
FROM (SELECT MIN(v."c0" COLLATE "C") AS "c0", MIN(v."c0") AS "c1"
FROM (SELECT t1."CMP_NM" AS "c0"
FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0
FROM json_array_elements($1::json) e
LIMIT json_array_length($1::json)) k
JOIN "HR"."TBL_EMP" t0 ON t0."EMP_NO" = k.k0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID") v
WHERE (v."c0" IS NOT NULL) GROUP BY LOWER(v."c0")) a
ORDER BY a."c1"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: the keys of the parents
-- 2: "0"
-- 3: "10001"
