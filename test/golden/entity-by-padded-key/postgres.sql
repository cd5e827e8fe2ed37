-- entity
SELECT t0."CTRY_CD", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."CTRY_NM"
FROM "SALES"."CTRY_REF" t0
WHERE (t0."CTRY_CD" = $1::"bpchar");
-- 1: "FR"

-- together with the same
SELECT s.*, k.o FROM unnest($1::text[]) WITH ORDINALITY AS k(v1, o)
CROSS JOIN LATERAL (SELECT t0."CTRY_CD", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."CTRY_NM"
FROM "SALES"."CTRY_REF" t0
WHERE (t0."CTRY_CD" = k.v1::"bpchar")) s;
-- 1: "{\"FR\",\"FR\"}"
