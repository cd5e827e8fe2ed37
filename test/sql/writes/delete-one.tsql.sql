SET NOCOUNT ON;
DECLARE @k TABLE ("k0" nvarchar(20) COLLATE Latin1_General_CI_AS, "k1" datetime);
DELETE
FROM "S"."T ""1"""
OUTPUT deleted."CODE", deleted."AT" INTO @k
WHERE "T ""1"""."CODE" = @p1 COLLATE Latin1_General_CI_AS AND "T ""1"""."AT" = CONVERT(datetime, CONVERT(datetime2(7), @p2, 126));
SELECT k."k0", k."k1"
FROM @k k;
-- 1: part 0, nvarchar(20)
-- 2: part 1, datetime
-- 2 columns
