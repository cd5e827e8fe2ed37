-- entity
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t1."CMP_ID"
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID" AND NOT (t1."IS_CUST" = $1::"bool")
WHERE (t0."EMP_NO" = $2::"int4");
-- 1: "false"
-- 2: "5"

-- together with the same
SELECT s.*, k.o FROM unnest($2::text[]) WITH ORDINALITY AS k(v2, o)
CROSS JOIN LATERAL (SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t1."CMP_ID"
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID" AND NOT (t1."IS_CUST" = $1::"bool")
WHERE (t0."EMP_NO" = k.v2::"int4")) s;
-- 1: "false"
-- 2: "{\"5\",\"5\"}"
