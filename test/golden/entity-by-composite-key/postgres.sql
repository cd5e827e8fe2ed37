-- entity
SELECT t0."ORD_NO", t0."LINE_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."QTY", t0."UNIT_PRC", t0."DISC]PCT", t0."LINE_AMT", t0."SHIP_DT", t0."REMARK_TX", t0."PRD_ID"
FROM "SALES"."Order Details" t0
WHERE (t0."ORD_NO" = $1::"int4" AND t0."LINE_NO" = $2::"int2");
-- 1: "7"
-- 2: "2"

-- together with the same
SELECT s.*, k.o FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k(v1, v2, o)
CROSS JOIN LATERAL (SELECT t0."ORD_NO", t0."LINE_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."QTY", t0."UNIT_PRC", t0."DISC]PCT", t0."LINE_AMT", t0."SHIP_DT", t0."REMARK_TX", t0."PRD_ID"
FROM "SALES"."Order Details" t0
WHERE (t0."ORD_NO" = k.v1::"int4" AND t0."LINE_NO" = k.v2::"int2")) s;
-- 1: "{\"7\",\"7\"}"
-- 2: "{\"2\",\"2\"}"
