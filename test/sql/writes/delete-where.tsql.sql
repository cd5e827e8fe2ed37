DELETE t0
FROM "S"."T ""1""" t0
WHERE t0."NAME" = @p1;
-- 1: parameter
-- 0 columns
