-- page
SELECT t0."PRD_ID", COALESCE(NULLIF(t0.xmin::text::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."SKU_CD", t0."PRD_NM", t0."LIST_PRC", t0."WGT_KG", t0."STOCK_QTY", t0."MIN_QTY", t0."RATING_NO", t0."BAR_NO", t0."DISC_FL", t0."SPEC_JSON", t0."CAT_CD", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."PRD_MST" t0
ORDER BY t0."PRD_ID"
LIMIT $2::bigint
OFFSET $1::bigint;
-- 1: "0"
-- 2: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."PRD_MST" t0;
