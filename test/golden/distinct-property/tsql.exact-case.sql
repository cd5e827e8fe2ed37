-- values
SELECT a."c0", a."c1", a."c2"
FROM (SELECT v."c1" AS "c0", MIN(CONVERT(nvarchar(max), v."c2") COLLATE Latin1_General_BIN2) AS "c1", v."c3" AS "c2", MIN(v."c2") AS "c4"
FROM (SELECT (SELECT TOP (1) j.value
FROM OPENJSON(CASE WHEN ISJSON(t0."EXTRA_JSON") = 1 THEN t0."EXTRA_JSON" END) j
WHERE j."key" = @p1) AS "c0", (SELECT TOP (1) TRY_CONVERT(bit, j.value)
FROM OPENJSON(CASE WHEN ISJSON(t0."EXTRA_JSON") = 1 THEN t0."EXTRA_JSON" END) j
WHERE j."key" = @p1 AND j.type IN (3)) AS "c1", (SELECT TOP (1) j.value
FROM OPENJSON(CASE WHEN ISJSON(t0."EXTRA_JSON") = 1 THEN t0."EXTRA_JSON" END) j
WHERE j."key" = @p1 AND j.type IN (1)) AS "c2", (SELECT TOP (1) TRY_CONVERT(decimal(38, 10), CASE WHEN j.value LIKE '%[eE]%' THEN CONVERT(nvarchar(50), TRY_CONVERT(decimal(38, 10), TRY_CONVERT(float, j.value))) ELSE j.value END)
FROM OPENJSON(CASE WHEN ISJSON(t0."EXTRA_JSON") = 1 THEN t0."EXTRA_JSON" END) j
WHERE j."key" = @p1 AND j.type IN (2)) AS "c3"
FROM "HR"."TBL_EMP" t0) v
WHERE (v."c1" IS NOT NULL OR v."c2" IS NOT NULL OR v."c3" IS NOT NULL) GROUP BY v."c1", v."c2", v."c3") a
ORDER BY a."c2", a."c4", a."c0"
OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (OPTIMIZE FOR (@p2 = 0, @p3 = 100));
-- 1: "nick"
-- 2: "0"
-- 3: "10001"
