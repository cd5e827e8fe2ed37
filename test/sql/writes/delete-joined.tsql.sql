DELETE t0
FROM "S"."T ""1""" t0
LEFT JOIN "S"."OTHER" t1 ON t0."OTHER_ID" = t1."ID"
WHERE t1."NAME" = @p1;
-- 1: parameter
-- 0 columns
