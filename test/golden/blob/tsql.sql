-- slice
SELECT t0."REC_VER", CAST(DATALENGTH(t0."DOC_BLOB") AS bigint), SUBSTRING(t0."DOC_BLOB", @p1 + 1, @p2)
FROM "SALES"."DOC_STORE" t0
WHERE (t0."DOC_ID" = @p3);
-- 1: which bytes
-- 2: which bytes
-- 3: "c0ffee00-0000-4000-8000-000000000001"
