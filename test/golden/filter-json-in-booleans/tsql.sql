-- page
SELECT t0."EMP_NO", t0."REC_VER", t0."MOD_DT", t0."LAST_NM", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."TBL_EMP" t0
WHERE ((SELECT TOP (1) TRY_CONVERT(bit, j.value)
FROM OPENJSON(CASE WHEN ISJSON(t0."EXTRA_JSON") = 1 THEN t0."EXTRA_JSON" END) j
WHERE j."key" = @p1 AND j.type IN (3)) IN (SELECT v
FROM OPENJSON(@p2) WITH (v bit '$')))
ORDER BY t0."EMP_NO"
OFFSET @p3 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (OPTIMIZE FOR (@p3 = 0, @p4 = 100));
-- 1: "remote"
-- 2: "[\"true\",\"false\"]"
-- 3: "0"
-- 4: "100"

-- count
SELECT COUNT_BIG(*)
FROM "HR"."TBL_EMP" t0
WHERE ((SELECT TOP (1) TRY_CONVERT(bit, j.value)
FROM OPENJSON(CASE WHEN ISJSON(t0."EXTRA_JSON") = 1 THEN t0."EXTRA_JSON" END) j
WHERE j."key" = @p1 AND j.type IN (3)) IN (SELECT v
FROM OPENJSON(@p2) WITH (v bit '$')));
-- 1: "remote"
-- 2: "[\"true\",\"false\"]"
