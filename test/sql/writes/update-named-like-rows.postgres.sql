UPDATE "S"."K" AS t0 SET "LABEL" = k.c0
FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"varchar" AS k0, (CASE WHEN ((e->>2)::timestamptz AT TIME ZONE 'UTC')::date IN ('0001-01-01', '9999-12-31', '4714-11-24 BC', '294276-12-31') THEN (e->>2)::timestamptz AT TIME ZONE 'UTC' ELSE (e->>2)::timestamptz AT TIME ZONE 'Europe/Paris' END) AS k1, (e->>3) AS c0
FROM jsonb_array_elements($1::jsonb) e LIMIT jsonb_array_length($1::jsonb)) k
WHERE t0."CODE" = k.k0 AND t0."AT" = k.k1
RETURNING t0."CODE", (CASE WHEN t0."AT"::date IN ('0001-01-01', '9999-12-31', '4714-11-24 BC', '294276-12-31') THEN t0."AT" AT TIME ZONE 'UTC' ELSE t0."AT" AT TIME ZONE 'Europe/Paris' END);
-- 1: rows [ordinal, varchar, timestamp, varchar]
-- 2 columns
