-- entity
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."FIRST_NM", t1."CMP_ID", COALESCE(NULLIF(t1."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t1."MOD_DT", t1."CMP_NM", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID"
WHERE (t0."EMP_NO" = $1::"int4");
-- 1: "3"
