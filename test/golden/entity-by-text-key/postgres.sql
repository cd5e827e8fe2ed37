-- entity
SELECT t0."CAT_CD", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."DESC_TX"
FROM "SALES"."CAT_REF" t0
WHERE (t0."CAT_CD" = $1::"varchar");
-- 1: "AC/DC"

-- together with the same
SELECT s.*, k.o FROM unnest($1::text[]) WITH ORDINALITY AS k(v1, o)
CROSS JOIN LATERAL (SELECT t0."CAT_CD", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."DESC_TX"
FROM "SALES"."CAT_REF" t0
WHERE (t0."CAT_CD" = k.v1::"varchar")) s;
-- 1: "{\"AC/DC\",\"AC/DC\"}"
