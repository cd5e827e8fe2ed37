-- page
SELECT t0."CMP_ID", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."CMP_MST" t0
ORDER BY t0."CMP_ID"
LIMIT $2::bigint
OFFSET $1::bigint;
-- 1: "0"
-- 2: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."CMP_MST" t0;

-- related 1: Employee
SELECT x.o, x.n, x.c0, x.c1, x.c2, x.c3, x.c4, x.c5, x.c6
FROM (SELECT k.o AS o, COUNT(*) OVER (PARTITION BY k.o) AS n, ROW_NUMBER() OVER (PARTITION BY k.o ORDER BY t0."EMP_NO") AS r, t0."EMP_NO" AS c0, COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991) AS c1, t0."MOD_DT" AS c2, t1."CMP_ID" AS c3, COALESCE(NULLIF(t1."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991) AS c4, t1."MOD_DT" AS c5, t1."CMP_NM" AS c6
FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0
FROM json_array_elements($1::json) e
LIMIT json_array_length($1::json)) k
JOIN "HR"."TBL_EMP" t0 ON t0."COMP_ID" = k.k0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID") x
WHERE x.r <= 100
ORDER BY x.o, x.r;
-- 1: the keys of the parents

-- related 1: Employee > 1: Order
SELECT x.o, x.n, x.c0, x.c1, x.c2
FROM (SELECT k.o AS o, COUNT(*) OVER (PARTITION BY k.o) AS n, ROW_NUMBER() OVER (PARTITION BY k.o ORDER BY t0."ORD_NO") AS r, t0."ORD_NO" AS c0, COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991) AS c1, t0."MOD_DT" AS c2
FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0
FROM json_array_elements($1::json) e
LIMIT json_array_length($1::json)) k
JOIN "SALES"."ORD_HDR" t0 ON t0."REP_NO" = k.k0) x
WHERE x.r <= 100
ORDER BY x.o, x.r;
-- 1: the keys of the parents
