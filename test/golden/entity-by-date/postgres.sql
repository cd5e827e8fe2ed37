-- entity
SELECT t0."HOL_DT", COALESCE(NULLIF(t0.xmin::text::bigint & 9007199254740991, 0), 9007199254740991), t0."HOL_NM", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."CAL_HOL" t0
WHERE (t0."HOL_DT" = $1::"date");
-- 1: "2024-07-14"
