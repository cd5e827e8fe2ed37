/** A table beside the sample with what a form has to know: lists of values, defaults, a reference whose column is exposed, a key that is empty text. */
export const TICKETS = {
  'more.sql': `
CREATE TYPE "HR"."MOOD" AS ENUM ('calm', 'angry');
CREATE TABLE "HR"."TICKET" ("CODE" varchar(10) PRIMARY KEY, "TITLE" varchar(40) NOT NULL, "MOOD" "HR"."MOOD",
  "STATE" varchar(8) NOT NULL DEFAULT 'new' CHECK ("STATE" IN ('new', 'done')), "GRADE" int CHECK ("GRADE" IN (1, 2, 3)),
  "DUE" date, "DONE_AT" timestamp(3), "EXTRA" jsonb, "COMP_ID" int NOT NULL REFERENCES "SALES"."CMP_MST");
INSERT INTO "HR"."TICKET" VALUES ('', 'Without a code', NULL, 'new', 1, NULL, NULL, NULL, 1),
  ('Lamp', 'Lamp', 'calm', 'done', 2, '2024-12-31', NULL, NULL, 2);
`,
  'mappings/ticket.yaml': `
dataclass: Ticket
table: HR.TICKET
stamp: hash
attributes: { code: CODE, title: TITLE, mood: MOOD, state: STATE, grade: GRADE, due: DUE, doneAt: DONE_AT, extra: EXTRA, companyID: COMP_ID }
relations: { company: { to: Company, columns: { COMP_ID: CMP_ID } } }
`,
} as const;
