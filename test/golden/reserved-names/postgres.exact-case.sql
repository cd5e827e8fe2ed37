-- page
SELECT t0."USER_ID", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."GROUP", t0."ORDER", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."USER" t0
WHERE (t0."GROUP" = $1::"varchar")
ORDER BY t0."ORDER", t0."USER_ID"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "admin"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "HR"."USER" t0
WHERE (t0."GROUP" = $1::"varchar");
-- 1: "admin"

-- together with the same
SELECT s.*, k.o FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k(v1, v2, v3, o)
CROSS JOIN LATERAL (SELECT t0."USER_ID", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."GROUP", t0."ORDER", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."USER" t0
WHERE (t0."GROUP" = k.v1::"varchar")
ORDER BY t0."ORDER", t0."USER_ID"
LIMIT k.v3::bigint
OFFSET k.v2::bigint) s;
-- 1: "{\"admin\",\"admin\"}"
-- 2: "{\"0\",\"0\"}"
-- 3: "{\"100\",\"100\"}"
