import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { testFolder, type TestFolder } from '../../config/files.ts';

/**
 * Beside the sample: a table with what a form has to know, such as lists of values, defaults, a reference whose column is exposed, and a key that is empty text;
 * another one with a trigger that keeps nothing of some rows, and two functions.
 */
const MORE_SQL = `
CREATE TYPE "HR"."MOOD" AS ENUM ('calm', 'angry');
CREATE TABLE "HR"."TICKET" ("CODE" varchar(10) PRIMARY KEY, "TITLE" varchar(40) NOT NULL, "MOOD" "HR"."MOOD",
  "STATE" varchar(8) NOT NULL DEFAULT 'new' CHECK ("STATE" IN ('new', 'done')), "GRADE" int CHECK ("GRADE" IN (1, 2, 3)),
  "DUE" date, "DONE_AT" timestamp(3), "EXTRA" jsonb, "COMP_ID" int NOT NULL REFERENCES "SALES"."CMP_MST");
INSERT INTO "HR"."TICKET" VALUES ('', 'Without a code', NULL, 'new', 1, NULL, NULL, NULL, 1),
  ('Lamp', 'Lamp', 'calm', 'done', 2, '2024-12-31', NULL, NULL, 2), ('Chair', 'Chair', NULL, 'new', 1, NULL, NULL, NULL, 2);
CREATE FUNCTION "HR"."NO_GHOSTS"() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN IF NEW."CODE" = 'Ghost' THEN RETURN NULL; END IF; RETURN NEW; END $$;
CREATE TABLE "HR"."GUARDED" (LIKE "HR"."TICKET" INCLUDING ALL);
INSERT INTO "HR"."GUARDED" SELECT * FROM "HR"."TICKET";
CREATE TRIGGER "NO_GHOSTS" BEFORE INSERT ON "HR"."GUARDED" FOR EACH ROW EXECUTE FUNCTION "HR"."NO_GHOSTS"();
CREATE FUNCTION "HR"."F_SHARE"(a int, b int, c int, d int, e int, f int) RETURNS int LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'Nothing is left to share.'; END $$;
CREATE FUNCTION "HR"."F_GROSS"(net numeric, rate numeric DEFAULT 20, asked date DEFAULT NULL, rounded boolean DEFAULT false)
RETURNS numeric LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN rounded THEN round(net * (100 + rate) / 100) ELSE net * (100 + rate) / 100 END $$;
`;

const FIELDS = `stamp: hash
attributes: { code: CODE, title: TITLE, mood: MOOD, state: STATE, grade: GRADE, due: DUE, doneAt: DONE_AT, extra: EXTRA, companyID: COMP_ID }
`;

const COMPANY = 'relations: { company: { to: Company, columns: { COMP_ID: CMP_ID } } }\n';

const MORE_MAPPINGS = {
  'ticket.yaml': `dataclass: Ticket\ntable: HR.TICKET\n${FIELDS}${COMPANY}`,
  'closed-ticket.yaml': `dataclass: ClosedTicket\nreadOnly: true\ntable: HR.TICKET\n${FIELDS}`,
  'guarded.yaml': `dataclass: Guarded\ntable: HR.GUARDED\n${FIELDS}${COMPANY}`,
  'functions.yaml': `functions:
  gross: { routine: HR.F_GROSS, parameters: [net, rate, asked, rounded] }
  share: { routine: HR.F_SHARE, parameters: [a, b, c, d, e, f] }
`,
};

/** Writes what a gateway with all this serves. Tests of several files change it at the same time, each other entities than those that others look at. @param settings lines of its configuration beside those of every one */
export async function exploredFolder(
  settings = 'queryPlans: sql\n',
): Promise<TestFolder & { readonly config: string }> {
  const folder = await testFolder();
  await cp('mappings', join(folder.path, 'mappings'), { recursive: true });
  for (const [name, text] of Object.entries(MORE_MAPPINGS)) {
    await folder.write(`mappings/${name}`, text);
  }
  const sample = gunzipSync(await readFile('sample.sql.gz')).toString('utf8');
  await folder.write('seed.sql', sample + MORE_SQL);
  const config = await folder.write(
    'config.yaml',
    `application: Legacy ERP
server: { port: 0 }
database: { engine: pglite, directory: 'memory:', seed: seed.sql }
ignoreCase: true
log: { level: warn }
${settings}`,
  );
  return { ...folder, config };
}
