-- entity
SELECT t0."PRD_ID", COALESCE(NULLIF(t0.xmin::text::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."PRD_NM", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."PRD_MST" t0
WHERE (t0."BAR_NO" = $1::"int8");
-- 1: "9007199254740993"
