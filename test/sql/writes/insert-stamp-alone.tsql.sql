INSERT INTO "S"."T ""1""" ("VER")
VALUES (1);
-- 0 columns
