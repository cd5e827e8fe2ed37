import { finds } from './finders.ts';
import { oneEntity, reach, rowAt, type Row } from './oracle.ts';
import type { Target } from '../targets/target.ts';
import type { Case } from './suite.ts';
import { refusal } from './values.ts';
import { textCases, textLike } from './text.ts';

/**
 * Comparisons of text with `ignoreCase: false`, the default that users have: the columns' collations decide.
 * On a target whose collations hold `A` for `a`, they say the same with either setting.
 */
export function reads({ ignoresCase }: Target): readonly Case[] {
  const { is } = textLike(ignoresCase);
  const prefix = '§4.3 with ignoreCase: false,';
  const property = (row: Row): string | null => {
    const extra = JSON.parse(String(row['EXTRA_JSON'])) as { nick?: string | null } | null;
    return extra?.nick ?? null;
  };
  const cases: readonly Case[] = [
    ...textCases(prefix, ignoresCase),
    ...['IT', 'it'].map((code) =>
      finds(`${prefix} padded text: ${code}`, 'Employee', `department.code = ${code}`, (row) =>
        is(code)(row.DEPT_CD),
      ),
    ),
    ...['["Smith","DUBOIS"]', '["SMITH",null]'].map((list) =>
      finds(`${prefix} one of: ${list}`, 'Employee', `lastName IN ${list}`, ({ LAST_NM }) =>
        (JSON.parse(list) as (string | null)[]).some((item) => item !== null && is(item)(LAST_NM)),
      ),
    ),
    ...['Smith', 'smith'].map((name) =>
      finds(`${prefix} to many: ${name}`, 'Company', `employees.lastName = ${name}`, (row) =>
        reach('Company', row, 'employees').some((employee) =>
          is(name)(String(employee['LAST_NM'])),
        ),
      ),
    ),
    {
      title: `${prefix} a unique attribute`,
      url: '/rest/Employee:email(MARIE.dubois@acme.example)?$attributes=ID',
      ...(ignoresCase
        ? { body: oneEntity('Employee', rowAt('Employee', 1), { attributes: 'ID' }) }
        : { status: 404, body: refusal(1543, /MARIE\.dubois/) }),
    },
    ...['Bob', 'bob'].map((nick) =>
      finds(`${prefix} a property: ${nick}`, 'Employee', `extra.nick = ${nick}`, (row) =>
        is(nick)(property(row)),
      ),
    ),
  ];
  return cases.map((row) => ({ ...row, ignoreCase: false }));
}
