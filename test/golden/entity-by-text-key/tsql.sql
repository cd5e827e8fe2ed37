-- entity
SELECT t0."CAT_CD", t0."REC_VER", t0."MOD_DT", t0."DESC_TX"
FROM "SALES"."CAT_REF" t0
WHERE (t0."CAT_CD" = @p1);
-- 1: "AC/DC"
