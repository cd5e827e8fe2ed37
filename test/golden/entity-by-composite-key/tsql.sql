-- entity
SELECT t0."ORD_NO", t0."LINE_NO", t0."REC_VER", t0."MOD_DT", t0."QTY", t0."UNIT_PRC", t0."DISC]PCT", t0."LINE_AMT", t0."SHIP_DT", t0."REMARK_TX", t0."PRD_ID"
FROM "SALES"."Order Details" t0
WHERE (t0."ORD_NO" = @p1 AND t0."LINE_NO" = @p2);
-- 1: "7"
-- 2: "2"
