-- page
SELECT COALESCE(NULLIF(t0.xmin::text::bigint & 9007199254740991, 0), 9007199254740991), t0."EVT_DT", t0."SEV_CD", t0."SRC_NM", t0."MSG_TX", t0."EMP_NO", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."EVT_LOG" t0
ORDER BY t0."EVT_DT", t0."SEV_CD", t0."SRC_NM", t0."EMP_NO" NULLS FIRST, t0."MSG_TX" NULLS FIRST
LIMIT $2::bigint
OFFSET $1::bigint;
-- 1: "0"
-- 2: "5"

-- count
SELECT COUNT(*)
FROM "HR"."EVT_LOG" t0;
