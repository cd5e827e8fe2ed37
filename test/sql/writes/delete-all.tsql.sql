DELETE t0
FROM "S"."T ""1""" t0;
-- 0 columns
