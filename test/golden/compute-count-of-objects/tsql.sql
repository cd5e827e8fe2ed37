-- values
SELECT a."c0"
FROM (SELECT COUNT_BIG(v."c0") AS "c0"
FROM (SELECT t0."EXTRA_JSON" AS "c0"
FROM "HR"."TBL_EMP" t0) v
WHERE NOT (v."c0" IS NULL OR LTRIM(RTRIM(REPLACE(REPLACE(REPLACE(CONVERT(nvarchar(max), v."c0"), NCHAR(9), N' '), NCHAR(10), N' '), NCHAR(13), N' '))) COLLATE Latin1_General_BIN2 = N'null')) a;
