SET NOCOUNT ON;
INSERT INTO "S"."T ""1""" ("LABEL")
SELECT k.c0
FROM OPENJSON(@p1) WITH (c0 nvarchar(max) '$[1]') k;
SELECT k."k0"
FROM (SELECT CONVERT(int, @@IDENTITY) AS "k0") k;
-- 1: rows [ordinal, nvarchar(20)]
-- 1 columns
