SET NOCOUNT ON;
DECLARE @k TABLE ("k0" int);
INSERT INTO "S"."T ""1""" ("LABEL", "VER", "A", "B")
OUTPUT inserted."ID" INTO @k
SELECT k.c0, 1, @p2, @p3
FROM OPENJSON(@p1) WITH (c0 nvarchar(max) '$[1]') k;
SELECT k."k0"
FROM @k k;
-- 1: rows [ordinal, nvarchar(20)]
-- 2: content 0
-- 3: content 1
-- 1 columns
