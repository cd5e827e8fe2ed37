-- entity
SELECT t0."HOL_DT", COALESCE(NULLIF(t0.xmin::text::bigint & 9007199254740991, 0), 9007199254740991), t0."HOL_NM"
FROM "HR"."CAL_HOL" t0
WHERE (t0."HOL_DT" = $1::"date");
-- 1: "2024-07-14"

-- together with the same
SELECT s.*, k.o FROM unnest($1::text[]) WITH ORDINALITY AS k(v1, o)
CROSS JOIN LATERAL (SELECT t0."HOL_DT", COALESCE(NULLIF(t0.xmin::text::bigint & 9007199254740991, 0), 9007199254740991), t0."HOL_NM"
FROM "HR"."CAL_HOL" t0
WHERE (t0."HOL_DT" = k.v1::"date")) s;
-- 1: "{\"2024-07-14\",\"2024-07-14\"}"
