SET NOCOUNT ON;
INSERT INTO "S"."T ""1""" ("LABEL")
VALUES (@p1);
SELECT k."k0"
FROM (SELECT CONVERT(int, @@IDENTITY) AS "k0") k;
-- 1: part 0, nvarchar(20)
-- 1 columns
