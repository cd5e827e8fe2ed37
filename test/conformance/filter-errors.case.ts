import type { DataclassName } from './dataclasses.ts';
import { refuses } from './finders.ts';
import type { Case } from './suite.ts';
import { refusal } from './values.ts';

type Refused = readonly [DataclassName, string, ...RegExp[]];

/** Values that an attribute's type cannot hold, one type after another. */
const wrongTypes: readonly Refused[] = [
  ['Employee', 'ID = abc', /"abc"/, /Employee\.ID/, /position 6 of \$filter/],
  ['Employee', 'badgeNo > nine', /Employee\.badgeNo/, /position 11 of \$filter/],
  ['Employee', 'ID = "1 OR 1=1"', /Employee\.ID/, /position 6 of \$filter/],
  ['Company', 'creditLimit = lots', /"lots"/, /Company\.creditLimit/],
  ['Company', 'creditLimit = 1,5', /Company\.creditLimit/],
  ['Company', 'latitude = north', /Company\.latitude/],
  ['Product', 'weight = "1.2.3"', /Product\.weight/],
  ['Employee', 'birthDate = 2023-02-29', /"2023-02-29"/, /Employee\.birthDate/, /date/],
  ['Employee', 'birthDate > yesterday', /"yesterday"/, /Employee\.birthDate/],
  ['Employee', 'hireDate = "2001-09-03T25:00:00Z"', /Employee\.hireDate/],
  ['Order', 'placedAt < noon', /"noon"/, /Order\.placedAt/],
  ['Order', 'placedAt < "2024-01-01T25:00:00Z"', /Order\.placedAt/],
  ['Employee', 'shiftStart = 25:00', /"25:00"/, /Employee\.shiftStart/, /time/],
  ['Employee', 'active = maybe', /"maybe"/, /Employee\.active/, /true or false/],
  ['Employee', 'active = 2', /Employee\.active/],
  ['Document', 'ID = c0ffee', /"c0ffee"/, /Document\.ID/],
  ['Employee', 'grade IN [1, two, 3]', /"two"/, /Employee\.grade/, /position 14 of \$filter/],
  ['Employee', 'employer.founded = soon', /"soon"/, /Company\.founded/],
  ['Company', 'employees.grade = high', /"high"/, /Employee\.grade/],
  ['Employee', 'ID = 1 AND grade = x', /"x"/, /Employee\.grade/, /position 20 of \$filter/],
  ['Employee', 'lastName = "a\u0000b"', /Employee\.lastName/],
];

const comparators: readonly Refused[] = [
  ['Employee', 'grade begin 1', /begin/, /Employee\.grade/],
  ['Employee', 'birthDate % 19', /%|contains/, /Employee\.birthDate/],
  ['Employee', 'active > false', />/, /Employee\.active/],
  ['Employee', 'photo = 1', /Employee\.photo/, /null/],
  ['Document', 'content = "x"', /Document\.content/, /null/],
  ['Employee', 'extra = "x"', /Employee\.extra/],
  ['Employee', 'extra begin "{"', /Employee\.extra/],
  ['Employee', 'employer = 1', /employer/, /relation/],
  ['Company', 'employees = 1', /employees/, /relation/],
  ['Employee', 'grade > null', /null/, /Employee\.grade/],
  ['Employee', 'lastName begin null', /null/, /Employee\.lastName/],
  ['Employee', 'lastName', /Employee\.lastName/, /comparator/],
  ['Employee', 'ID = 1 AND grade', /Employee\.grade/, /position 12 of \$filter/],
];

const names: readonly Refused[] = [
  ['Employee', 'lastNam = Smith', /Employee/, /lastNam\b/, /lastName/, /position 1 of \$filter/],
  ['Employee', 'LASTNAME = Smith', /Did you mean lastName\?/],
  ['Employee', 'ID = 1 OR emploier.name = x', /employer/, /position 11 of \$filter/],
  ['Employee', 'employer.nam = x', /Company/, /\bname\b/],
  ['Employee', 'employer.country.cod = FR', /Country/, /\bcode\b/],
  ['Employee', 'lastName.length = 5', /lastName/, /length/],
  ['Employee', 'salary > 1', /salary/],
  ['User', 'passwordHash = x', /passwordHash/],
  ['Employee', 'employer.CMP_NM = x', /CMP_NM/],
];

const malformed: readonly (readonly [string, number, ...RegExp[]])[] = [
  ['grade =', 1162, /value/, /the end/, /position 8 of \$filter/],
  ['= 5', 1162, /attribute/, /"= 5"/, /position 1 of \$filter/],
  ['grade = 5 AND', 1162, /attribute/, /position 14 of \$filter/],
  ['grade = 5 AND OR active', 1107, /"active"|OR/],
  ['(grade = 5', 1162, /parenthesis/, /position 11 of \$filter/],
  ['grade = 5)', 1162, /AND/, /"\)"/, /position 10 of \$filter/],
  ['()', 1162, /attribute/, /position 2 of \$filter/],
  ['NOT(grade = 5', 1162, /parenthesis/, /position 14 of \$filter/],
  ['grade = 5 grade = 6', 1162, /AND/, /position 17 of \$filter/],
  ['grade ~ 5', 1107, /"~"/, /position 7 of \$filter/],
  ['grade =! 5', 1107, /"=!"/, /position 7 of \$filter/],
  ['grade <> 5', 1107, /"<>"/, /position 7 of \$filter/],
  [
    'grade contains 5',
    1107,
    /"contains"/,
    /Did you mean attribute % text/,
    /position 7 of \$filter/,
  ],
  ['grade IN 5', 1162, /list/, /position 10 of \$filter/],
  ['grade IN [1, 2', 1162, /\]/],
  ['grade IN [1 2]', 1508, /"1 2"/],
  ['employer..name = x', 1162, /employer\.\.name/, /position 1 of \$filter/],
  ['extra.\u0000 = 1', 1162, /position \d+ of \$filter/],
  ['.name = x', 1162, /position 1 of \$filter/],
  ["lastName = 'Smith", 1808, /position 12 of \$filter/],
  ['lastName = "Smith', 1809, /position 12 of \$filter/],
  [`${'('.repeat(100)}grade = 5${')'.repeat(100)}`, 1162, /nested/],
  [Array.from({ length: 600 }, (_, n) => `ID=${n}`).join(' OR '), 1162, /comparisons/],
];

/** §4.3, §7: filters that give a clear error. */
export const reads: readonly Case[] = [
  ...wrongTypes.map(([dataclass, filter, ...says]) =>
    refuses(`§7 1508 ${JSON.stringify(filter)} of ${dataclass}`, dataclass, filter, 1508, ...says),
  ),
  ...comparators.map(([dataclass, filter, ...says]) =>
    refuses(`§7 1112 ${filter} of ${dataclass}`, dataclass, filter, 1112, ...says),
  ),
  ...names.map(([dataclass, filter, ...says]) =>
    refuses(`§7 1500 ${filter} of ${dataclass}`, dataclass, filter, 1500, ...says),
  ),
  ...malformed.map(([filter, code, ...says]) =>
    refuses(`§7 ${code} ${JSON.stringify(filter.slice(0, 40))}`, 'Employee', filter, code, ...says),
  ),
  refuses(
    '§7 positions count the blanks before an expression',
    'Employee',
    '  lastNam = x',
    1500,
    /position 3 of \$filter/,
  ),
  {
    title: '§7 1809 the value of $filter is not closed',
    url: '/rest/Employee?$filter="ID=1',
    status: 400,
    body: refusal(1809, /\$filter/),
  },
  {
    title: '§7 1808 the value of $filter is not closed',
    url: "/rest/Employee?$filter='ID=1&$top=1",
    status: 400,
    body: refusal(1808, /\$filter/),
  },
];
