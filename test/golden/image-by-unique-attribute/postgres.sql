-- slice
SELECT COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), COALESCE(NULLIF(t0.xmin::text::bigint & 9007199254740991, 0), 9007199254740991), octet_length(t0."PHOTO_IMG"), substr(t0."PHOTO_IMG", $1::int4 + 1, $2::int4)
FROM "HR"."TBL_EMP" t0
WHERE ((t0."EMAIL" = $3::"varchar" OR (LOWER(t0."EMAIL") = LOWER($4::"varchar") AND NOT (EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t1
WHERE (t1."EMAIL" = $5::"varchar"))))))
ORDER BY t0."EMP_NO";
-- 1: which bytes
-- 2: which bytes
-- 3: "ada@example.com"
-- 4: "ada@example.com"
-- 5: "ada@example.com"
