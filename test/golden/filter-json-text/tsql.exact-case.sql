-- page
SELECT t0."EMP_NO", t0."REC_VER", t0."MOD_DT", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."TBL_EMP" t0
WHERE ((SELECT TOP (1) j.value
FROM OPENJSON(CASE WHEN ISJSON(t0."EXTRA_JSON") = 1 THEN t0."EXTRA_JSON" END) j0 CROSS APPLY OPENJSON(CASE WHEN j0.type IN (4, 5) THEN j0.value END) j
WHERE j0."key" = JSON_VALUE(@p1, '$[0]') COLLATE Latin1_General_BIN2 AND j."key" = JSON_VALUE(@p1, '$[1]') COLLATE Latin1_General_BIN2 AND j.type IN (1, 2, 3)) = @p2)
ORDER BY t0."EMP_NO"
OFFSET @p3 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (OPTIMIZE FOR (@p3 = 0, @p4 = 100));
-- 1: "[\"address\",\"city\"]"
-- 2: "Lyon"
-- 3: "0"
-- 4: "100"

-- count
SELECT COUNT_BIG(*)
FROM "HR"."TBL_EMP" t0
WHERE ((SELECT TOP (1) j.value
FROM OPENJSON(CASE WHEN ISJSON(t0."EXTRA_JSON") = 1 THEN t0."EXTRA_JSON" END) j0 CROSS APPLY OPENJSON(CASE WHEN j0.type IN (4, 5) THEN j0.value END) j
WHERE j0."key" = JSON_VALUE(@p1, '$[0]') COLLATE Latin1_General_BIN2 AND j."key" = JSON_VALUE(@p1, '$[1]') COLLATE Latin1_General_BIN2 AND j.type IN (1, 2, 3)) = @p2);
-- 1: "[\"address\",\"city\"]"
-- 2: "Lyon"
