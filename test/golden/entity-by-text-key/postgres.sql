-- entity
SELECT t0."CAT_CD", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."DESC_TX", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."CAT_REF" t0
WHERE (t0."CAT_CD" = $1::"varchar");
-- 1: "AC/DC"
