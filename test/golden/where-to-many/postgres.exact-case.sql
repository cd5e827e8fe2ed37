-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (t0."ACTIVE_FL" = $1::"bool" AND EXISTS (SELECT 1
FROM "HR"."EMP_PRJ" t2
JOIN "HR"."PRJ_HDR" t1 ON t2."PRJ_ID" = t1."PRJ_ID" AND t1."PRJ_NM" IS NOT NULL
WHERE (t2."EMP_NO" = t0."EMP_NO" AND t2."ROLE_NM" IS NOT NULL AND t1."PRJ_NM" LIKE $2::text ESCAPE '\')))
ORDER BY t0."EMP_NO"
LIMIT $4::bigint
OFFSET $3::bigint;
-- 1: "true"
-- 2: "A%"
-- 3: "0"
-- 4: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
WHERE (t0."ACTIVE_FL" = $1::"bool" AND EXISTS (SELECT 1
FROM "HR"."EMP_PRJ" t2
JOIN "HR"."PRJ_HDR" t1 ON t2."PRJ_ID" = t1."PRJ_ID" AND t1."PRJ_NM" IS NOT NULL
WHERE (t2."EMP_NO" = t0."EMP_NO" AND t2."ROLE_NM" IS NOT NULL AND t1."PRJ_NM" LIKE $2::text ESCAPE '\')));
-- 1: "true"
-- 2: "A%"

-- related 1: Project
SELECT x.o, x.n, x.c0, x.c1, x.c2, x.c3
FROM (SELECT k.o AS o, COUNT(*) OVER (PARTITION BY k.o) AS n, ROW_NUMBER() OVER (PARTITION BY k.o ORDER BY t0."PRJ_ID") AS r, t0."PRJ_ID" AS c0, COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991) AS c1, t0."MOD_DT" AS c2, t0."PRJ_NM" AS c3
FROM (SELECT DISTINCT k.o, t1."PRJ_ID" AS j0
FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0
FROM json_array_elements($1::json) e
LIMIT json_array_length($1::json)) k
JOIN "HR"."EMP_PRJ" t1 ON t1."EMP_NO" = k.k0 AND t1."ROLE_NM" IS NOT NULL) k
JOIN "HR"."PRJ_HDR" t0 ON t0."PRJ_ID" = k.j0
WHERE t0."PRJ_NM" IS NOT NULL) x
WHERE x.r <= 100
ORDER BY x.o, x.r;
-- 1: the keys of the parents
