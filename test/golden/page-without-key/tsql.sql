-- page
SELECT CONVERT(varchar(27), t0."EVT_DT", 126), t0."SEV_CD", t0."SRC_NM", t0."EMP_NO", t0."MSG_TX", CONVERT(bigint, @@DBTS)
FROM "HR"."EVT_LOG" t0
ORDER BY t0."EVT_DT", t0."SEV_CD", t0."SRC_NM", t0."EMP_NO", t0."MSG_TX"
OFFSET @p1 ROWS FETCH NEXT @p2 ROWS ONLY;
-- 1: "0"
-- 2: "5"

-- count
SELECT COUNT_BIG(*)
FROM "HR"."EVT_LOG" t0;
