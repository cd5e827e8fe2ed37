import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parsed, rows } from '../rows.ts';
import { hrefOf, hrefs, readRoute, type Route } from '../../src/explorer/routes.ts';

it.each(rows`
  ${''}                              | {view: model, dataclass: null}
  #/model                            | {view: model, dataclass: null}
  #/model/Employee                   | {view: model, dataclass: Employee}
  #/Employee?filter=name+%3D+%22A%22 | {view: collection, dataclass: Employee, query: {filter: name = "A"}}
  #/report/Order?groupby=status      | {view: report, dataclass: Order, query: {groupby: status}}
  #/Employee/5                       | {view: entity, dataclass: Employee, key: '5'}
  #/Employee/''                      | {view: entity, dataclass: Employee, key: ''}
  #/Employee/50%                     | {view: entity, dataclass: Employee, key: 50%}
  #/Employee/                        | {view: collection, dataclass: Employee, query: {}}
  #/Employee/new                     | {view: new, dataclass: Employee, query: {}}
  #/functions/archive                | {view: functions, name: archive, query: {}}
  #/plan?url=%2Frest%2FEmployee      | {view: plan, url: /rest/Employee}
`)('%s is a route', (hash, route) => {
  const { query, ...rest } = parsed<{ query?: Record<string, string> }>(route);
  const expected = query === undefined ? rest : { ...rest, query: new URLSearchParams(query) };
  expect(readRoute(hash)).toEqual(expected);
});

it('reads each entity and dataclass from what it writes of them, whatever their names are', () => {
  const name = fc.oneof(
    fc.constantFrom('new', 'model', 'report', 'functions', 'plan', 'a/b', '100%', '?#&'),
    fc.string({ minLength: 1, unit: 'binary' }),
  );
  const anyKey = fc.oneof(name, fc.constantFrom('', "''", '""', '%27%27'));
  fc.assert(
    fc.property(name, anyKey, (dataclass, key) => {
      const route: Route = { view: 'entity', dataclass, key };
      expect(readRoute(hrefOf(route))).toEqual(route);
      expect(readRoute(hrefs.collection(dataclass, { filter: key }))).toEqual({
        view: 'collection',
        dataclass,
        query: new URLSearchParams({ filter: key }),
      });
    }),
  );
});
