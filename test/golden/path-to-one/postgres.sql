-- origin
SELECT (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (t0."EMP_NO" = $1::"int4");
-- 1: "3"

-- entity
SELECT t0."CMP_ID", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."CMP_NM"
FROM "SALES"."CMP_MST" t0
WHERE (EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t1
WHERE (t1."EMP_NO" = $1::"int4" AND t0."CMP_ID" = t1."COMP_ID")));
-- 1: "3"
