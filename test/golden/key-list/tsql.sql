-- page
SELECT t0."CMP_ID", COALESCE(NULLIF(CAST(t0."REC_VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)), CONVERT(nvarchar(27), t0."MOD_DT", 126), t0."CMP_NM", CONVERT(bigint, @@DBTS)
FROM "SALES"."CMP_MST" t0
WHERE (t0."CMP_ID" IN (SELECT v
FROM OPENJSON(@p1) WITH (v int '$')))
ORDER BY t0."CMP_ID"
OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1: "[\"1\",\"2\",\"3\"]"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT_BIG(*)
FROM "SALES"."CMP_MST" t0
WHERE (t0."CMP_ID" IN (SELECT v
FROM OPENJSON(@p1) WITH (v int '$')));
-- 1: "[\"1\",\"2\",\"3\"]"
