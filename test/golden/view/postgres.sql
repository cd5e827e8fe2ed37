-- page
SELECT t0."CMP_ID", t0."CMP_ID", t0."CMP_NM", t0."ORD_CNT", t0."TURN_AMT", t0."LAST_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."V_CMP_TURN" t0
WHERE ((t0."TURN_AMT" > $1::"numeric" AND t0."TURN_AMT" < 'NaN'::"numeric"))
ORDER BY t0."TURN_AMT" DESC NULLS LAST, t0."CMP_ID"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "1000"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."V_CMP_TURN" t0
WHERE ((t0."TURN_AMT" > $1::"numeric" AND t0."TURN_AMT" < 'NaN'::"numeric"));
-- 1: "1000"
