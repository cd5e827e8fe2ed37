SET NOCOUNT ON;
DECLARE @k TABLE ("k0" int);
INSERT INTO "S"."T ""1""" ("LABEL", "VER", "A", "B")
OUTPUT inserted."ID" INTO @k
VALUES (@p1, 1, @p2, @p3);
SELECT k."k0"
FROM @k k;
-- 1: part 0, nvarchar(20)
-- 2: bytes 0
-- 3: bytes 1
-- 1 columns
