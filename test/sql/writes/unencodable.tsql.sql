SELECT k.o, v.i
FROM OPENJSON(@p1) WITH (o int '$[0]', c0 nvarchar(max) '$[1]', c4 nvarchar(max) '$[5]') k CROSS APPLY (VALUES (0, CASE WHEN CONVERT(nvarchar(max), CONVERT(varchar(max), k.c0 COLLATE Latin1_General_CI_AS)) COLLATE Latin1_General_BIN2 <> k.c0 COLLATE Latin1_General_BIN2 THEN 1 ELSE 0 END), (4, CASE WHEN CONVERT(nvarchar(max), CONVERT(varchar(max), k.c4 COLLATE Cyrillic_General_CI_AS)) COLLATE Latin1_General_BIN2 <> k.c4 COLLATE Latin1_General_BIN2 THEN 1 ELSE 0 END)) v(i, lost)
WHERE v.lost = 1
ORDER BY k.o, v.i;
-- 1: rows [ordinal, varchar(20), nvarchar(20), varchar(20), varchar(20), text]
-- 2 columns
