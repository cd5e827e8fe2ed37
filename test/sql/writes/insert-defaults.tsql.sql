SET NOCOUNT ON;
DECLARE @k TABLE ("k0" int);
INSERT INTO "S"."T ""1"""
OUTPUT inserted."ID" INTO @k DEFAULT VALUES;
SELECT k."k0"
FROM @k k;
-- 1 columns
