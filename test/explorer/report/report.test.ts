import { describe, expect, it } from 'vitest';
import type { Column } from '../../../src/explorer/collection/columns.ts';
import type { PathType } from '../../../src/explorer/collection/filter/rules.ts';
import {
  aggregatesOf,
  COUNT,
  firstGroup,
  hrefOfReport,
  isGroup,
  readMembers,
  readReport,
  reportUrl,
  withMembers,
  writeMembers,
  type Report,
} from '../../../src/explorer/report/report.ts';
import { readRoute } from '../../../src/explorer/routes.ts';
import { parsed, rows } from '../../rows.ts';

const reportOf = (query: Record<string, string>): Report =>
  readReport('Order', new URLSearchParams(query));

const ALL = {
  of: 'Company(1)/billedOrders',
  filter: 'paid = :1',
  params: '[true]',
  groupby: 'date:month,shipTo.country.name as country',
  aggregate: 'count,sum(total) as turnover',
  having: 'turnover > 1000',
  orderby: 'turnover DESC, date:month',
  top: '10',
  chart: 'stacked',
};

const member = (expression: string, name = ''): { expression: string; name: string } => ({
  expression,
  name,
});

describe('the fragment of a report', () => {
  it('has all of it', () => {
    const report = reportOf(ALL);
    expect(report).toEqual({
      ...{ dataclass: 'Order', from: 'Company(1)/billedOrders', filter: 'paid = :1' },
      ...{ params: '[true]', top: '10', chart: 'stacked' },
      groups: [member('date:month'), member('shipTo.country.name', 'country')],
      figures: [COUNT, member('sum(total)', 'turnover')],
      having: 'turnover > 1000',
      order: [
        { path: 'turnover', descending: true },
        { path: 'date:month', descending: false },
      ],
    });
    expect(readRoute(hrefOfReport(report))).toEqual({
      view: 'report',
      dataclass: 'Order',
      query: new URLSearchParams(ALL),
    });
  });

  it('counts entities where nothing else is asked, and takes nothing that is none', () => {
    expect(reportOf({ of: '$directory/logout', top: '-1', chart: 'pie' })).toEqual({
      ...{ dataclass: 'Order', from: 'Order', filter: '', params: '', groups: [] },
      ...{ figures: [COUNT], having: '', order: [], top: '', chart: null },
    });
  });
});

describe('the request of a report', () => {
  it('has all of it', () => {
    expect(reportUrl(reportOf(ALL), { $format: 'csv' })).toBe(
      '/rest/Company(1)/billedOrders?$filter="paid%20=%20:1"&$params="[true]"&$groupby="date:month,shipTo.country.name%20as%20country"' +
        '&$aggregate="count,sum(total)%20as%20turnover"&$having="turnover%20>%201000"&$orderby="turnover%20DESC,%20date:month"&$top=10&$format=csv',
    );
  });

  it('is one group of all where there is none', () => {
    expect(reportUrl(reportOf({}))).toBe('/rest/Order?$aggregate=count');
  });
});

describe('members', () => {
  it('are read as the gateway reads them', () => {
    const members = readMembers(' Sum( lines.quantity ) AS n ,count, total:step(0.5),as,a as');
    expect(members).toEqual([
      member('Sum(lines.quantity)', 'n'),
      member('count'),
      member('total:step(0.5)'),
      member('as'),
      member('aas'),
    ]);
    expect(writeMembers(members)).toBe('Sum(lines.quantity) as n,count,total:step(0.5),as,aas');
    expect(reportOf({ aggregate: 'COUNT(*),Sum(Total)' }).figures).toEqual([
      COUNT,
      member('sum(Total)'),
    ]);
  });
});

describe('what is offered of a column', () => {
  const column = (type: PathType, isToMany = false): Column => ({ path: 'a', type, isToMany });

  it.each(rows`
    number | a:step(100) | [sum, avg, min, max, count, distinct]
    long   | a           | [sum, avg, min, max, count, distinct]
    date   | a:month     | [min, max, count, distinct]
    string | a           | [min, max, count, distinct]
    bool   | a           | [count, distinct]
    uuid   | a           | [count, distinct]
  `)('of %s it is %s and %s', (name, group, aggregates) => {
    const type = name as PathType;
    expect(isGroup(column(type))).toBe(true);
    expect(isGroup(column(type, true))).toBe(false);
    expect(firstGroup('a', column(type))).toEqual(member(group));
    expect(aggregatesOf(column(type, true))).toEqual(parsed(aggregates));
  });

  it.each(rows`
    object   | [count]
    image    | [count]
    blob     | [count]
    property | []
    relation | []
  `)('of %s, which has no order or no value, it is less: %s', (type, aggregates) => {
    const own = column(type as PathType);
    expect([isGroup(own), aggregatesOf(own)]).toEqual([false, parsed(aggregates)]);
  });

  it('is the number of what a relation to many leads to, and nothing without a column', () => {
    expect(aggregatesOf(column('relation', true))).toEqual(['count']);
    expect([isGroup(null), aggregatesOf(null)]).toEqual([false, []]);
  });
});

describe('a change of members', () => {
  const report = reportOf({
    groupby: 'status',
    aggregate: 'sum(total),count',
    orderby: 'sum(total) DESC, status',
  });
  const orderOf = (figures: Report['figures']): unknown =>
    withMembers(report, { figures }).order.map(({ path }) => path);

  it('keeps the order by what is left, under its new name', () => {
    expect(orderOf([member('sum(total)', 't'), COUNT])).toEqual(['t', 'status']);
    expect(orderOf([COUNT, member('sum(total)')])).toEqual(['sum(total)', 'status']);
    expect(orderOf([COUNT])).toEqual(['status']);
  });
});
