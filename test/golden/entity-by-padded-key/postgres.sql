-- entity
SELECT t0."CTRY_CD", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."CTRY_NM", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."CTRY_REF" t0
WHERE (t0."CTRY_CD" = $1::"bpchar");
-- 1: "FR"
