DELETE
FROM "S"."T ""1""" AS d
WHERE EXISTS (SELECT 1
FROM "S"."T ""1""" t0
LEFT JOIN "S"."OTHER" t1 ON t0."OTHER_ID" = t1."ID"
WHERE t0."ID" = d."ID" AND t1."NAME" = $1::"varchar");
-- 1: parameter
-- 0 columns
