-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."FIRST_NM", t0."LAST_NM", t0."FULL_NM", t0."EMAIL", t0."PHONE_NO", t0."BIRTH_DT", t0."HIRE_DT", t0."SHIFT_TM", t0."BADGE_NO", t0."GRADE_CD", t0."ACTIVE_FL", (t0."PHOTO_IMG" IS NOT NULL), t0."EXTRA_JSON", t0."NOTE_TX", t0."COMP_ID", t0."DEPT_CD", t0."MGR_NO", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
ORDER BY t0."EMP_NO"
LIMIT $2::bigint
OFFSET $1::bigint;
-- 1: "40"
-- 2: "20"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0;
