-- slice
SELECT COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), COALESCE(NULLIF(t0.xmin::text::bigint & 9007199254740991, 0), 9007199254740991), octet_length(t0."PHOTO_IMG"), substr(t0."PHOTO_IMG", $1::int4 + 1, $2::int4)
FROM "HR"."TBL_EMP" t0
WHERE (t0."EMAIL" = $3::"varchar");
-- 1: which bytes
-- 2: which bytes
-- 3: "ada@example.com"
