import { encoded } from './finders.ts';
import { collection, rowsOf } from './oracle.ts';
import type { Case } from './suite.ts';
import { refusal } from './values.ts';

type Failure = readonly [url: string, status: number, code: number, ...says: RegExp[]];

/** §7: what a key, a path or a parameter can be wrong about. */
const failures: readonly Failure[] = [
  // 1800: what is not exposed does not exist.
  ['Employe', 404, 1800, /Employe\b/, /Employee/],
  ['employee', 404, 1800, /Did you mean Employee\?/],
  ['Employe(1)', 404, 1800, /Employee/],
  ['SYS_PARAM', 404, 1800, /SYS_PARAM/],
  ['SysParam', 404, 1800, /SysParam/],
  ['TBL_EMP', 404, 1800, /TBL_EMP/],
  ['HR.TBL_EMP', 404, 1800, /HR\.TBL_EMP/],
  ['Zebra', 404, 1800, /Zebra/],
  ['__proto__', 404, 1800, /__proto__/],
  ['$catalog/Employe', 404, 1800, /Employee/],
  ['$catalog/Employee,Nothing', 404, 1800, /Nothing/],
  // 1543: no such entity.
  ['Employee(9999)', 404, 1543, /Employee/, /9999/],
  ['Employee(-1)', 404, 1543, /-1/],
  ['Employee(99999999999)', 404, 1543, /Employee\(99999999999\)/],
  ['Employee(99999999999)/employer', 404, 1543, /Employee\(99999999999\)/],
  ['OrderLine(7;1e30)', 404, 1543, /OrderLine/],
  ['Country(XX)', 404, 1543, /Country/, /XX/],
  ['Category("")', 404, 1543, /There is no entity Category\(""\)\./],
  ['Category("nothing/here")', 404, 1543, /nothing\/here/],
  [`Category(${encoded('{"code":"Tools"}')})`, 404, 1543, /\{"code":"Tools"\}/],
  ['Category(Work@)', 404, 1543, /Work@/],
  ['Category(Stars*)', 404, 1543, /Stars\*/],
  ['Document(c0ffee00-0000-4000-8000-00000000ffff)', 404, 1543, /Document/],
  ['Holiday(2024-07-15)', 404, 1543, /2024-07-15/],
  ['OrderLine(7;9)', 404, 1543, /OrderLine/],
  ['OrderLine({"orderNo":7,"line":9})', 404, 1543, /OrderLine/],
  ['CompanyTurnover(60)', 404, 1543, /60/],
  ['Product:sku(TL-9999)', 404, 1543, /TL-9999/],
  // 1508 and 1541: keys of another type or of other parts.
  ['Employee(abc)', 400, 1508, /"abc"/, /Employee\.ID/],
  ['Employee(null)', 400, 1508, /"null"/, /Employee\.ID/],
  ['Document(c0ffee)', 400, 1508, /"c0ffee"/, /Document\.ID/],
  ['Holiday(2024-02-30)', 400, 1508, /"2024-02-30"/, /Holiday\.date/],
  ['OrderLine(7;two)', 400, 1508, /"two"/, /OrderLine\.line/],
  ['Product:barcode(x)', 400, 1508, /"x"/, /Product\.barcode/],
  ['OrderLine(7)', 400, 1541, /orderNo/, /line/],
  ['OrderLine(7,8)', 400, 1541, /orderNo/, /line/],
  ['OrderLine(7;2;3)', 400, 1541, /orderNo/, /line/],
  ['OrderLine({"orderNo":7})', 400, 1541, /orderNo/, /line/],
  ['OrderLine({"orderNo":7,"line":2,"more":1})', 400, 1541, /orderNo/],
  ['OrderLine({"ORD_NO":7,"LINE_NO":2})', 400, 1541, /orderNo/],
  ['Employee(1;2)', 400, 1541, /\bID\b/],
  ['Employee({"id":1})', 400, 1541, /\bID\b/],
  // 1500, 1813: attributes that address nothing.
  ['Employee:emial(x)', 404, 1500, /emial/, /email/],
  ['Employee:lastName(Dubois)', 400, 1813, /lastName/, /unique/, /email/],
  ['LogEntry(1)', 400, 1813, /LogEntry/, /key/],
  ['Employee(1)?$filter="ID=1"', 400, 1813, /\$filter/],
  ['Employee(1)?$orderby=ID', 400, 1813, /\$orderby/],
  // 1806: URLs that cannot be read.
  ['Employee(', 400, 1806, /position \d+ of the path/],
  ['Employee()', 400, 1806, /key/, /position \d+ of the path/],
  ['Employee(1', 400, 1806, /\)/, /position \d+ of the path/],
  ['Employee[1)', 400, 1806, /\]/, /position \d+ of the path/],
  ['Employee(1)x', 400, 1806, /position \d+ of the path/],
  ['Employee(1,)', 400, 1806, /key/, /position \d+ of the path/],
  ['OrderLine(7;)', 400, 1806, /key/, /position \d+ of the path/],
  [`OrderLine(${encoded('{"orderNo":7,}')})`, 400, 1806, /JSON/, /position \d+ of the path/],
  ['Employee:email', 400, 1806, /position \d+ of the path/],
  ['Employee:(x)', 400, 1806, /attribute/, /position \d+ of the path/],
  ['Employee/$nothing', 400, 1806, /\$nothing/, /position \d+ of the path/],
  ['Employee?=1', 400, 1806, /parameter/],
  ['Employee?$top=1&$top=2', 400, 1806, /\$top/],
  ['Category("AC/DC)', 400, 1809, /position \d+ of the path/],
  ["Category('AC/DC)", 400, 1808, /position \d+ of the path/],
  // 1827: nothing of the name can be called.
  ['$singleton/Clock/now', 404, 1827, /Clock/],
  // 1811, 1812, 1801: words that mean nothing.
  ['Employee?$filtr="ID=1"', 400, 1811, /\$filtr\b/, /\$filter/],
  ['Employee?$Top=1', 400, 1811, /Did you mean \$top\?/],
  ['Employee?$order=ID', 400, 1811, /\$orderby/],
  ['Employee?name=1', 400, 1811, /\bname\b/],
  ['Employee?$top=1&limit=1', 400, 1811, /\$limit/],
  // What other APIs call it, and what it is called here.
  ['Employee?$select=ID', 400, 1811, /Did you mean \$attributes\? \(at position 16 of the URL\)$/],
  ['Employee?lastName=Dubois', 400, 1811, /Did you mean \$filter="lastName = …"\?/],
  [
    'Employee?$filter="ID eq 1"',
    400,
    1107,
    /"eq".* Did you mean =\? \(at position 4 of \$filter\)$/,
  ],
  ['Employee?$orderby=-lastName', 400, 1810, /Did you mean lastName DESC\?/],
  ['Employee/$count', 400, 1806, /Did you mean \$top=0\?/],
  ['Employee/5', 404, 1500, /Did you mean Employee\(5\)\? \(at position 11 of the path\)$/],
  ['Employee/5/projects', 404, 1500, /Did you mean Employee\(5\)\?/],
  ['Country/FR', 404, 1500, /Did you mean Country\(FR\)\?/],
  ['OrderLine/7;2', 404, 1500, /Did you mean OrderLine\(7;2\)\?/],
  // What may be the name of an attribute, perhaps a hidden one, is not suggested as a key.
  ['Employee/salary', 404, 1500, /has no attribute salary\. \(at position 11 of the path\)$/],
  ['Country/hidden', 404, 1500, /has no attribute hidden\.(?! Did)/],
  ['OrderLine/7', 404, 1500, /has no attribute 7\.(?! Did)/],
  ['Employee/lastNam', 404, 1500, /Did you mean lastName/],
  ['employee', 404, 1800, /Did you mean Employee\?/],
  ['Employee?$method=entitysets', 400, 1812, /"entitysets"/, /entityset\b/],
  ['Employee?$method=', 400, 1812, /method/],
  ['Employee?$format=xml', 400, 1801, /"xml"/, /json/, /dashboard/],
  ['Employee?$format=cvs', 400, 1801, /Did you mean csv\?/],
];

export const reads: readonly Case[] = [
  ...failures.map(([path, status, code, ...says]) => ({
    title: `§7 ${code} ${path}`,
    url: `/rest/${path}`,
    status,
    body: refusal(code, ...says),
  })),
  {
    title: '§7 an error is __ERROR with message, componentSignature and errCode',
    url: '/rest/Employe',
    status: 404,
    body: refusal(1800),
    text: /^\{"__ERROR":\[\{"message":"[^"]+","componentSignature":"dbmg","errCode":1800\}\]\}$/,
  },
  {
    title: '§7 9008 nothing is served beside /rest',
    url: '/rests/Employee',
    status: 404,
    body: refusal(9008, /\/rests\/Employee/, /\/rest/),
  },
  {
    title: '§4.2 what is added to get past caches is not read',
    url: '/rest/Employee?_=1700000000000&$top=1&$attributes=ID',
    body: collection('Employee', rowsOf('Employee'), { attributes: 'ID', top: 1 }),
  },
  {
    title: '§4.2 escaped dollar signs of parameters',
    url: '/rest/Employee?%24top=2&%24attributes=ID',
    body: collection('Employee', rowsOf('Employee'), { attributes: 'ID', top: 2 }),
  },
];
