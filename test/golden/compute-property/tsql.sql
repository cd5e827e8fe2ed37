-- values
SELECT a."c0", a."c1", a."c2", a."c3", a."c4", a."c5", a."c6"
FROM (SELECT COUNT_BIG(*) AS "c0", COUNT_BIG(v."c3") AS "c1", SUM(v."c3") AS "c2", MIN(v."c3") AS "c3", MAX(v."c3") AS "c4", MIN(v."c2") AS "c5", MAX(v."c2") AS "c6"
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
WHERE v."c0" IS NOT NULL) a;
-- 1: "level"
