import { expect } from 'vitest';
import type { Answer } from '../targets/gateway.ts';
import type { Client } from './client.ts';
import { bareArray, rowsOf } from './oracle.ts';
import { type SequenceCase, sequence } from './suite.ts';

const read = (rest: Client, url: string, method = 'GET'): Promise<Answer> =>
  rest.send({ method, url, type: null });

/** The lines of an export, each without its end. */
async function lines(rest: Client, url: string, type: string, end: string): Promise<string[]> {
  const { status, headers, text } = await read(rest, url);
  expect([status, headers['content-type'], text.endsWith(end)]).toEqual([200, type, true]);
  return text.slice(0, -end.length).split(end);
}

const csv = (rest: Client, url: string): Promise<string[]> =>
  lines(
    rest,
    `${url}${url.includes('?') ? '&' : '?'}$format=csv`,
    'text/csv; charset=utf-8; header=present',
    '\r\n',
  );

const ndjson = async (rest: Client, url: string): Promise<unknown[]> =>
  (await lines(rest, `${url}&$format=ndjson`, 'application/x-ndjson', '\n')).map((line): unknown =>
    JSON.parse(line),
  );

const ids = rowsOf('Employee').map(({ EMP_NO }) => String(EMP_NO));
const orderLines = rowsOf('OrderLine').length;

export const sequences: readonly SequenceCase[] = [
  sequence(
    '§2.7 $format=csv and ndjson hold all that is selected, in its order, wherever it is from',
    async (rest) => {
      expect(await csv(rest, 'Employee?$attributes=ID')).toEqual(['ID', ...ids]);
      expect(await csv(rest, 'Employee?$attributes=ID&$orderby="ID desc"&$skip=3&$top=2')).toEqual([
        'ID',
        ...ids.toReversed().slice(3, 5),
      ]);
      expect(await csv(rest, 'Employee?$attributes=ID&$top=0')).toEqual(['ID']);
      expect(await csv(rest, 'Employee?$attributes=ID&$filter="ID<0"')).toEqual(['ID']);
      expect(await csv(rest, 'Employee(2)/ID')).toEqual(['ID', '2']);
      expect(await csv(rest, 'Employee(1)/employer?$attributes=name,creditLimit')).toEqual([
        'name,creditLimit',
        'Acme Freight & Co.,250000.0000',
      ]);
      expect(await csv(rest, 'Company(2)?$attributes=name,creditLimit,country.code')).toEqual([
        'name,creditLimit,country.code',
        '"Pâtisserie ""Chez Zoë""",1500.5000,CH',
      ]);
      expect(
        await lines(
          rest,
          'Company(2)?$attributes=ID,name&$format=spreadsheet',
          'text/csv; charset=utf-8; header=present',
          '\r\n',
        ),
      ).toEqual(['\uFEFFID,name', '2,"Pâtisserie ""Chez Zoë"""']);
      const many = await csv(rest, 'OrderLine?$attributes=orderNo,line');
      expect([many.length, new Set(many).size]).toEqual([orderLines + 1, orderLines + 1]);
      expect(await csv(rest, 'LogEntry?$attributes=severity')).toHaveLength(
        rowsOf('LogEntry').length + 1,
      );
      const attributes = 'lastName,employer.name,projects.name';
      expect(await ndjson(rest, `Employee?$attributes=${attributes}`)).toEqual(
        bareArray('Employee', rowsOf('Employee'), { attributes, top: ids.length }),
      );
    },
  ),
  sequence(
    '§2.7 $format of an entity set: a page for dashboards, all or a part of it for exports',
    async (rest) => {
      const made = await read(
        rest,
        'Employee?$filter="ID<=9"&$orderby="ID desc"&$method=entityset&$top=0',
      );
      const set = String((made.body as { __ENTITYSET?: string }).__ENTITYSET).replace('/rest/', '');
      const nine = ids.slice(0, 9).toReversed();
      expect(await csv(rest, `${set}?$attributes=ID`)).toEqual(['ID', ...nine]);
      expect(await csv(rest, `${set}?$attributes=ID&$skip=2&$top=3`)).toEqual([
        'ID',
        ...nine.slice(2, 5),
      ]);
      expect(await csv(rest, `${set}?$attributes=ID&$filter="ID>7"&$orderby=ID`)).toEqual([
        'ID',
        '8',
        '9',
      ]);
      await rest.answers(
        { method: 'GET', url: `${set}?$attributes=ID,birthDate&$skip=8&$format=dashboard` },
        {
          schema: [
            {
              name: 'ID',
              dataType: 'NUMBER',
              semantics: {
                conceptType: 'DIMENSION',
                semanticGroup: 'NUMERIC',
                semanticType: 'NUMBER',
              },
            },
            {
              name: 'birthDate',
              dataType: 'STRING',
              semantics: {
                conceptType: 'DIMENSION',
                semanticGroup: 'DATETIME',
                semanticType: 'YEAR_MONTH_DAY',
              },
            },
          ],
          rows: [{ values: [1, '19750412'] }],
          filtersApplied: false,
          __COUNT: 9,
          __FIRST: 8,
        },
      );
    },
  ),
  sequence('§2.7 $format: HEAD, what is not there, and what does not go together', async (rest) => {
    const head = await read(rest, 'OrderLine?$format=csv', 'HEAD');
    expect([head.status, head.headers['content-type'], head.text]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
      '',
    ]);
    for (const [url, status, errCode] of [
      ['Employee(99999)?$format=csv', 404, 1543],
      ['Employee(99999)/projects?$format=ndjson', 404, 1543],
      ['Employee?$filter="ID=abc"&$format=csv', 400, 1508],
      ['Employee?$attributes=photo&$format=csv', 400, 1813],
      ['Employee?$method=entityset&$format=csv', 400, 1813],
      ['Employee/grade?$compute=sum&$format=csv', 400, 1813],
      ['Employee/grade?$distinct=true&$format=ndjson', 400, 1813],
    ] as const) {
      const answer = await read(rest, url);
      expect([url, answer.status, answer.body]).toMatchObject([
        url,
        status,
        { __ERROR: [{ errCode }] },
      ]);
    }
  }),
];
