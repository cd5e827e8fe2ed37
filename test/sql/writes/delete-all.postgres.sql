DELETE
FROM "S"."T ""1""" AS t0;
-- 0 columns
