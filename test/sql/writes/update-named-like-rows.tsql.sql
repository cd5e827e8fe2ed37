SET NOCOUNT ON;
DECLARE @k TABLE ("k0" nvarchar(20) COLLATE Latin1_General_CI_AS, "k1" datetime);
UPDATE "S"."K" SET "LABEL" = kk.c0
OUTPUT inserted."CODE", inserted."AT" INTO @k
FROM OPENJSON(@p1) WITH (k0 nvarchar(4000) '$[1]', k1 nvarchar(50) '$[2]', c0 nvarchar(max) '$[3]') kk
WHERE "K"."CODE" = kk.k0 COLLATE Latin1_General_CI_AS AND "K"."AT" = CONVERT(datetime, CONVERT(datetime2(7), kk.k1, 126));
SELECT k."k0", k."k1"
FROM @k k;
-- 1: rows [ordinal, nvarchar(20), datetime, nvarchar(20)]
-- 2 columns
