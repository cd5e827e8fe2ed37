-- entity
SELECT t0."DOC_ID", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."TITLE_TX", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."DOC_STORE" t0
WHERE (t0."DOC_ID" = $1::"uuid");
-- 1: "c0ffee00-0000-4000-8000-000000000001"
