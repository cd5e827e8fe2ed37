SET NOCOUNT ON;
DECLARE @k TABLE ("k0" int);
INSERT INTO "S"."T ""1""" ("LABEL")
OUTPUT inserted."ID" INTO @k
SELECT k.c0
FROM OPENJSON(@p1) WITH (o int '$[0]', c0 nvarchar(max) '$[1]') k
ORDER BY k.o;
SELECT k."k0"
FROM @k k
ORDER BY CASE WHEN IDENT_INCR(N'"S"."T ""1"""') < 0 THEN k."k0" END DESC, k."k0";
-- 1: rows [ordinal, nvarchar(20)]
-- 1 columns
