import type { Command } from '../../../src/database/database.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import type { Gateway } from '../../targets/gateway.ts';

/** How a plan comes to the rows of a table. */
export interface Access {
  readonly operator: 'Scan' | 'Seek';
  readonly table: string;
  /** None where the table is a heap. */
  readonly index: string | null;
}

/**
 * The actual plan of a command: it is run once more, with its values.
 * https://learn.microsoft.com/sql/t-sql/statements/set-statistics-xml-transact-sql: set at run time, it need not be alone in its batch,
 * and the plan of each statement comes behind what the statement answers
 */
export async function actualPlan(
  { database }: Pick<Gateway, 'database'>,
  { statement, values }: Command,
): Promise<readonly Access[]> {
  const text = `SET STATISTICS XML ON; ${statement.text}`;
  // Of a write the last result set is answered.
  const explained = { ...statement, name: `explain ${statement.name}`, text, effect: 'write' };
  const { rows } = await database.run(
    { statement: explained as Command['statement'], values },
    gatewayContext,
  );
  const plan = String(rows[0]?.[0]);
  if (!plan.includes('<ShowPlanXML')) throw new Error(`no plan came: ${plan.slice(0, 200)}`);
  return accesses(plan);
}

/**
 * Reads the operators that go to tables, in the order of the plan; what goes to table variables is left out.
 * https://learn.microsoft.com/sql/relational-databases/showplan-logical-and-physical-operators-reference
 */
function accesses(plan: string): Access[] {
  const operators =
    /<RelOp [^>]*PhysicalOp="(?:Table|Index|Clustered Index) (Scan|Seek)"[^>]*>[\s\S]*?<Object ([^>]*)>/g;
  return [...plan.matchAll(operators)].flatMap(([, operator, object = '']) => {
    const table = attribute(object, 'Table');
    if (table === null || /^[@#]/.test(table)) return [];
    return [
      {
        operator: operator === 'Seek' ? 'Seek' : 'Scan',
        table,
        index: attribute(object, 'Index'),
      } as const,
    ];
  });
}

/** An attribute of an Object, whose names are in brackets. */
function attribute(object: string, name: string): string | null {
  return new RegExp(`\\b${name}="\\[([^"]*)\\]"`).exec(object)?.[1] ?? null;
}
