-- slice
SELECT COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), COALESCE(NULLIF(t0.xmin::text::bigint & 9007199254740991, 0), 9007199254740991), octet_length(t0."DOC_BLOB"), substr(t0."DOC_BLOB", $1::int4 + 1, $2::int4)
FROM "SALES"."DOC_STORE" t0
WHERE (t0."DOC_ID" = $3::"uuid");
-- 1: which bytes
-- 2: which bytes
-- 3: "c0ffee00-0000-4000-8000-000000000001"
