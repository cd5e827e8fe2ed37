-- entity
SELECT t0."CTRY_CD", t0."REC_VER", t0."MOD_DT", t0."CTRY_NM"
FROM "SALES"."CTRY_REF" t0
WHERE ((t0."CTRY_CD" = CONVERT(varchar(8000), @p1 COLLATE Latin1_General_100_CI_AS) AND t0."CTRY_CD" = @p1));
-- 1: "FR"
