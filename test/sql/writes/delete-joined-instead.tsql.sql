DELETE
FROM "S"."T ""1"""
WHERE EXISTS (SELECT 1
FROM "S"."T ""1""" t0
LEFT JOIN "S"."OTHER" t1 ON t0."OTHER_ID" = t1."ID"
WHERE t0."ID" = "T ""1"""."ID" AND t1."NAME" = @p1);
-- 1: parameter
-- 0 columns
