INSERT INTO "S"."T ""1""" ("VER")
SELECT 1
FROM OPENJSON(@p1) WITH (o int '$[0]') k;
-- 1: rows [ordinal]
-- 0 columns
