DELETE
FROM "S"."T ""1""" AS t0
WHERE t0."NAME" = $1::"varchar";
-- 1: parameter
-- 0 columns
