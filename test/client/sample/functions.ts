import type { Routine } from '../../../src/schema/types.ts';
import { routine, types } from '../../model/physical.ts';

/** Routines that the client's tests call, in each language. */
export const ROUTINES = {
  postgres: [
    `CREATE FUNCTION "HR".f_greet(emp int, greeting text) RETURNS text LANGUAGE sql STABLE AS
       $$ SELECT greeting || ' ' || "LAST_NM" FROM "HR"."TBL_EMP" WHERE "EMP_NO" = emp $$`,
    `CREATE FUNCTION "HR".f_count(keys text) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT json_array_length(keys::json)::bigint'`,
    `CREATE FUNCTION "HR".f_graded(lowest int) RETURNS TABLE (id int) LANGUAGE sql STABLE AS
       $$ SELECT "EMP_NO" FROM "HR"."TBL_EMP" WHERE "GRADE_CD" >= lowest ORDER BY "EMP_NO" $$`,
    `CREATE FUNCTION "HR".f_add(amount decimal, more decimal) RETURNS decimal LANGUAGE sql IMMUTABLE AS 'SELECT amount + more'`,
  ],
  sqlserver: [
    `CREATE FUNCTION HR.f_greet(@emp int, @greeting nvarchar(50)) RETURNS nvarchar(200) AS BEGIN
       RETURN (SELECT @greeting + N' ' + LAST_NM FROM HR.TBL_EMP WHERE EMP_NO = @emp) END`,
    'CREATE FUNCTION HR.f_count(@keys nvarchar(max)) RETURNS bigint AS BEGIN RETURN (SELECT COUNT_BIG(*) FROM OPENJSON(@keys)) END',
    'CREATE PROCEDURE HR.f_graded @lowest int AS SELECT EMP_NO AS id FROM HR.TBL_EMP WHERE GRADE_CD >= @lowest ORDER BY EMP_NO',
    `CREATE FUNCTION HR.f_add(@amount decimal(38,10), @more decimal(38,10)) RETURNS decimal(38,10) AS BEGIN
       RETURN @amount + @more END`,
  ],
};

/** What is added to the mapping file of employees. */
export const EMPLOYEE_FUNCTIONS = `
functions:
  greet: { routine: HR.f_greet, key: emp, parameters: [greeting], description: Says hello. }
  tally: { routine: HR.f_count, keys: keys }
  graded: { routine: HR.f_graded, parameters: [lowest], returns: { dataclass: Employee, key: id } }
`;

/** A mapping file of functions of the datastore and of a singleton. */
export const SHARED_FUNCTIONS = `
functions:
  add: { routine: HR.f_add, parameters: [amount, more] }
singletons:
  Sums:
    functions:
      add: { routine: HR.f_add, parameters: [amount, more] }
`;

const { int, bigint, text } = types;
const decimal = { ...types.decimal, precision: null, scale: null };

/** The routines as a snapshot of PostgreSQL's schema has them. */
export const SNAPSHOT_ROUTINES: readonly Routine[] = [
  routine('f_greet', { emp: 'int', greeting: 'text' }, { kind: 'value', type: text }),
  routine('f_count', { keys: 'text' }, { kind: 'value', type: bigint }),
  routine('f_graded', { lowest: 'int' }, { kind: 'rows', columns: [{ name: 'id', type: int }] }),
  routine('f_add', { amount: 'decimal', more: 'decimal' }, { kind: 'value', type: decimal }),
].map(({ parameters, ...one }) => ({
  ...{ ...one, schema: 'HR' },
  parameters: parameters.map((given) =>
    given.type.kind === 'decimal' ? { ...given, type: decimal } : given,
  ),
}));
