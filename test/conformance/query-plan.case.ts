import { expect } from 'vitest';
import { collection, rowsOf, type Row } from './oracle.ts';
import { type Case, type SequenceCase, sequence } from './suite.ts';

const few: readonly Row[] = rowsOf('Employee').filter(({ EMP_NO }) => EMP_NO < 4);
const page = collection('Employee', few, { attributes: 'ID' });

const leaf = {
  type: 'SeqNode',
  field: 'ID',
  table: 'Employee',
  instance: 0,
  oper: '<',
  value: 4,
};
const plans = {
  __queryPlan: { And: [{ item: 'Employee.ID < 4' }] },
  __extendedQueryPlan: { type: 'LogicOperatorNode', logicOper: 'And', parts: [leaf] },
};

const joined = {
  leftTable: 'Employee',
  leftField: 'employer',
  leftInstance: 0,
  rightTable: 'Company',
  rightField: 'ID',
  rightInstance: 0,
};

const step = (description: string, recordsfounds: number, ...steps: object[]): object => ({
  description,
  time: expect.any(Number) as unknown,
  recordsfounds,
  steps,
});

export const reads: readonly Case[] = [
  {
    title: '§4.2 rule 5 $queryplan tells the plans before the result',
    url: '/rest/Employee?$filter="ID<4"&$attributes=ID&$queryplan=true',
    body: { ...plans, ...page },
    text: /^\{"__queryPlan":\{.*\},"__extendedQueryPlan":\{.*\},"__DATACLASS":"Employee","__entityModel"/,
  },
  {
    title: '§2.6 a condition on a related entity is a join',
    url: '/rest/Employee?$filter="employer.name=:1 or ID<0"&$params=["-"]&$attributes=ID&$queryplan=true',
    body: {
      __queryPlan: {
        Or: [
          {
            item: 'Join on Table : Company  :  Employee.employer = Company.ID',
            subquery: [{ item: 'Company.name = -' }],
          },
          { item: 'Employee.ID < 0' },
        ],
      },
      __extendedQueryPlan: {
        type: 'LogicOperatorNode',
        logicOper: 'Or',
        parts: [
          {
            type: 'JoinNode',
            table: 'Employee',
            targetTable: 'Company',
            instance: 0,
            joinPath: [joined],
            filter: { ...leaf, field: 'name', table: 'Company', oper: '=', value: '-' },
          },
          { ...leaf, value: 0 },
        ],
      },
      ...collection('Employee', [], { attributes: 'ID' }),
    },
  },
  {
    title: '§4.2 rule 7 $querypath tells what was measured, related entities below their parents',
    url: '/rest/Employee?$filter="ID<4"&$attributes=ID&$top=2&$querypath=true&$queryplan=false',
    body: {
      ...plans,
      __queryPath: {
        steps: [
          step('the page of Employee', 2),
          step('how many entities of Employee there are', 1),
        ],
      },
      ...collection('Employee', few, { attributes: 'ID', top: 2 }),
    },
  },
];

export const sequences: readonly SequenceCase[] = [
  sequence('§4.2 rule 5 and 7 on entity sets, one entity, and with HEAD', async (rest) => {
    const get = async (url: string): Promise<Record<string, unknown>> => {
      const { status, body } = await rest.send({ method: 'GET', url });
      expect(status, url).toBe(200);
      return body as Record<string, unknown>;
    };
    const made = await get(
      'Employee?$filter="ID<4"&$attributes=ID&$method=entityset&$queryplan=true',
    );
    expect(made).toEqual({ ...plans, __ENTITYSET: expect.any(String) as unknown, ...page });
    expect(Object.keys(made).slice(0, 3)).toEqual([
      '__queryPlan',
      '__extendedQueryPlan',
      '__ENTITYSET',
    ]);
    const id = String(made['__ENTITYSET']).replace(/^.*\//, '');
    const read = await get(
      `Employee/$entityset/${id}?$filter="ID<4"&$savedfilter="ID<4"&$savedorderby="ID"&$attributes=ID,employer.employees.ID&$querypath=true&$top=1`,
    );
    expect(read).toMatchObject({
      __queryPlan: { And: [{ item: `Employee.__KEY in ${id}` }, { item: 'Employee.ID < 4' }] },
      __queryPath: {
        steps: [
          step('which entities of the entity set stay, and in which order', 3),
          step('the page of Employee', 1, {
            ...step('employer.employees', 0),
            recordsfounds: expect.any(Number) as unknown,
          }),
        ],
      },
      __COUNT: 3,
    });
    const one = await get('Employee(1)?$attributes=ID&$queryplan=true');
    expect(one).toMatchObject({ __queryPlan: { And: [{ item: 'Employee.__KEY = 1' }] }, ID: 1 });
    const url = 'Employee?$filter="ID<4"&$attributes=ID&$queryplan=true';
    expect((await rest.send({ method: 'HEAD', url })).status).toBe(200);
  }),
];
