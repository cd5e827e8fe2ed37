import { describe, expect, test } from 'vitest';
import type { ReadPlan } from '../../../src/plan/condition/types.ts';
import { planRead } from '../../../src/plan/read/read.ts';
import type { OrderTerm, SelectQuery } from '../../../src/sql/ir/ir.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { planning, queryOf, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { parsed, rows } from '../../rows.ts';

const model = await sampleModel(readSnapshot('postgres'));

function plan(url: string, nullsMatchNotEqual = false): ReadPlan {
  const { ast } = parseRequest(url);
  if (ast.kind !== 'read') throw new Error(`${url} is not a read`);
  return planRead(ast, planning(model, undefined, { nullsMatchNotEqual }));
}

/** `t0.LAST_NM desc`, with a question mark where there can be nulls. */
function shown({ operand, descending }: OrderTerm): string {
  const column = operand.kind === 'column' ? operand : operand.column;
  const property = operand.kind === 'column' ? '' : ` ${operand.path.join('.')} as ${operand.as}`;
  return `${column.alias}.${column.name}${property}${column.nullable ? '?' : ''}${descending ? ' desc' : ''}`;
}

function joined({ joins }: Pick<SelectQuery, 'joins'>): string[] {
  return joins.map(({ type, table }) => `${type} ${table.name} ${table.alias}`);
}

describe('the order', () => {
  test.each(rows`
    /rest/Employee | t0.EMP_NO
    /rest/Employee?$orderby=lastName | t0.LAST_NM | t0.EMP_NO
    /rest/Employee?$orderby=phone%20desc,ID | t0.PHONE_NO? desc | t0.EMP_NO
    /rest/Employee?$orderby=ID%20desc | t0.EMP_NO desc
    /rest/Employee?$orderby=grade,grade%20desc | t0.GRADE_CD? | t0.EMP_NO
    /rest/Employee?$orderby=employer.name,employer.country.name | t1.CMP_NM? | t2.CTRY_NM? | t0.EMP_NO
    /rest/Employee?$orderby=extra.level | t0.EXTRA_JSON level as text? | t0.EMP_NO
    /rest/Employee?$orderby=extra.a,extra.b | t0.EXTRA_JSON a as text? | t0.EXTRA_JSON b as text? | t0.EMP_NO
    /rest/OrderLine | t0.ORD_NO | t0.LINE_NO
    /rest/OrderLine?$orderby=line%20desc | t0.LINE_NO desc | t0.ORD_NO
    /rest/ExchangeRate | t0.CURR_CD | t0.RATE_DT
    /rest/CompanyTurnover | t0.CMP_ID
    /rest/LogEntry | t0.EVT_DT | t0.SEV_CD | t0.SRC_NM | t0.EMP_NO? | t0.MSG_TX?
    /rest/Company(1)/employees | t0.EMP_NO
    /rest/Company(3,1,2) | t0.CMP_ID
    /rest/Company(1)
    /rest/Employee(1)/employer
  `)('of %s ends in the key', (url, ...expected) => {
    const query = queryOf(plan(url).fetch, 'select');
    expect(query.orderBy.map(shown)).toEqual(expected);
  });

  test('of related entities is that of their key', () => {
    const { children } = plan('/rest/Order?$attributes=lines.quantity').fetch;
    expect(children.map(({ fetch }) => queryOf(fetch, 'related').orderBy.map(shown))).toEqual([
      ['t0.ORD_NO', 't0.LINE_NO'],
    ]);
  });
});

describe('joins', () => {
  test.each(rows`
    /rest/Employee | []
    /rest/Employee?$orderby=employer.name | [left CMP_MST t1]
    /rest/Employee?$attributes=employer.name | [left CMP_MST t1]
    /rest/Employee?$filter=employer.city=Lyon&$orderby=employer.name&$attributes=employer.ID | [left CMP_MST t1] | left CMP_MST t1
    /rest/Employee?$filter=employer.country.name=France&$orderby=department.name | [left CMP_MST t1, left CTRY_REF t2, left TBL_DEPT t3] | left CMP_MST t1 | left CTRY_REF t2
    /rest/Employee?$filter=employer.employees.ID=1 | [left CMP_MST t1] | left CMP_MST t1
    /rest/Company?$filter=employees.department.name=IT | []
    /rest/Employee?$filter=manager.manager.ID=1&$attributes=manager.lastName | [left TBL_EMP t1, left TBL_EMP t2] | left TBL_EMP t1 | left TBL_EMP t2
  `)(
    'of %s are made once, and the count has only those its condition reads',
    (url, page, ...count) => {
      const { fetch, count: counted } = plan(url);
      expect(joined(queryOf(fetch, 'select'))).toEqual(parsed(page));
      expect(counted === null ? null : joined(queryOf(counted, 'count'))).toEqual(count);
    },
  );
});

describe('the answer', () => {
  test.each([
    ['/rest/Company', 'collection', true, null, false],
    ['/rest/Company(1,2)', 'collection', true, null, false],
    ['/rest/Company(1)', 'entity', false, null, false],
    ['/rest/Product:sku(x)', 'entity', false, null, false],
    ['/rest/Employee(1)/employer', 'entity', false, 'TBL_EMP', true],
    ['/rest/Employee(1)/employer/country', 'entity', false, 'TBL_EMP', true],
    ['/rest/Company(1)/employees', 'collection', true, 'CMP_MST', true],
    ['/rest/Employee(1)/employer/employees', 'collection', true, 'TBL_EMP', true],
    ['/rest/Company(1)/employees/department', 'collection', true, 'CMP_MST', true],
  ])('to %s', (url, answer, counted, origin, nullable) => {
    const found = plan(url);
    expect({
      answer: found.answer,
      counted: found.count !== null,
      windowed: queryOf(found.fetch, 'select').window !== null,
      origin: found.origin === null ? null : queryOf(found.origin, 'select').from.name,
      nullable: found.nullable,
    }).toEqual({ answer, counted, windowed: counted, origin, nullable });
  });

  test('has each result column once, however often it is asked for', () => {
    const query = queryOf(
      plan('/rest/Employee?$attributes=ID,employer.*,employer.name,ID').fetch,
      'select',
    );
    const ids = query.outputs.map((output) => JSON.stringify(output));
    expect(ids).toEqual([...new Set(ids)]);
    expect(query.outputs.filter(({ kind }) => kind === 'globalStamp')).toHaveLength(1);
  });
});

describe('conditions', () => {
  const column = expect.objectContaining({ kind: 'column', name: 'GRADE_CD' });
  const unequal = {
    kind: 'compare',
    operator: '<>',
    left: column,
    right: expect.objectContaining({ kind: 'parameter', use: 'value', meets: 'Employee.grade' }),
  };

  test.each([
    [false, unequal],
    [true, { kind: 'or', items: [unequal, { kind: 'isNull', negated: false, operand: column }] }],
  ])('!= with nullsMatchNotEqual: %s', (nullsMatchNotEqual, expected) => {
    const query = queryOf(
      plan('/rest/Employee?$filter=grade!=1', nullsMatchNotEqual).fetch,
      'select',
    );
    expect(query.where).toEqual({ kind: 'and', items: [expected] });
  });

  const birth = expect.objectContaining({ kind: 'column', name: 'BIRTH_DT' });
  const isNull = { kind: 'isNull', negated: false, operand: birth };
  const isDate = { kind: 'isNull', negated: true, operand: birth };

  test.each([
    ['=', isNull],
    ['!=', isDate],
    ['<=', isNull],
    ['>', isDate],
    ['<', { kind: 'and', items: [isNull, isDate] }],
    ['>=', { kind: 'or', items: [isNull, isDate] }],
  ])('no date is before all dates: %s', (comparator, expected) => {
    for (const none of ['0!0!0', '00!00!00', '0!0!0000', '!!0000-00-00!!']) {
      const query = queryOf(
        plan(`/rest/Employee?$filter="birthDate ${comparator} ${none}"`).fetch,
        'select',
      );
      expect(query.where).toEqual({ kind: 'and', items: [expected] });
    }
  });

  test('joined by one word are one list', () => {
    const query = queryOf(
      plan('/rest/Employee?$filter="grade=1 and (grade=2 and grade=3) and grade=4"').fetch,
      'select',
    );
    const shape = JSON.stringify(query.where, (key, value: unknown) =>
      key === 'left' || key === 'right' || key === 'operator' ? undefined : value,
    );
    const one = { kind: 'compare' };
    expect(JSON.parse(shape)).toEqual({
      kind: 'and',
      items: [{ kind: 'and', items: [one, { kind: 'and', items: [one, one] }, one] }],
    });
  });
});

describe('what a URL addresses', () => {
  /** The text that the key or the unique attribute is compared with. */
  function addressed(url: string): unknown[] {
    const { ast, values } = parseRequest(url);
    if (ast.kind !== 'read') throw new Error(`${url} is not a read`);
    const { keys } = planRead(ast, planning(model)).addressed;
    return keys.map(({ parameter }) => values[parameter]?.value);
  }

  test.each([
    ['Category(a;b)', 'a;b'],
    ['Category({"code":"x"})', '{"code":"x"}'],
    ['Category({"code":1})', '{"code":1}'],
    ['Category( x)', ' x'],
    ['Category("x")', 'x'],
    ['Category({x)', '{x'],
    ['Product:sku(a;b)', 'a;b'],
    ['Product:sku(a,b)', 'a,b'],
    ['Product:sku({"sku":1})', '{"sku":1}'],
    ['Product:sku(%20x)', ' x'],
    ['Product:sku("x")', 'x'],
    ['Product:sku({x)', '{x'],
    ['Product:barcode( 7 )', '7'],
    ['OrderLine(7; 2)', '7', '2'],
    ['OrderLine({"line":2,"orderNo":7})', '7', '2'],
  ])('of one text, all of it: %s', (path, ...texts) => {
    expect(addressed(`/rest/${path}`)).toEqual(texts);
  });

  test('each of several keys of one text is all of it', () => {
    const { ast, values } = parseRequest('/rest/Category(a;b, {"code":1} ,c)');
    if (ast.kind !== 'read') throw new Error('it is a read');
    const { where } = queryOf(planRead(ast, planning(model)).fetch, 'select');
    const [condition] = where?.kind === 'and' ? where.items : [];
    const keys = condition?.kind === 'keyIn' ? condition.keys : null;
    const parameters = keys?.kind === 'keys' ? keys.parameters : [];
    expect(parameters.map((key) => key.map((parameter) => values[parameter]?.value))).toEqual([
      ['a;b'],
      ['{"code":1}'],
      ['c'],
    ]);
  });

  test('is one value of a unique attribute that is not text', () => {
    expect(() => addressed('/rest/Product:barcode(1;2)')).toThrow(
      'Product.barcode is one value: expected Product:barcode(value).',
    );
  });
});
