import { describe, expect, it } from 'vitest';
import {
  parseOrder,
  readSource,
  type Selection,
  toggleOrder,
  withoutIds,
} from '../../../src/explorer/collection/selection.ts';
import {
  hrefOfView,
  readViewState,
  type ViewState,
} from '../../../src/explorer/collection/view-state.ts';
import { requestForms } from '../../../src/explorer/collection/request-forms.ts';
import { rows } from '../../rows.ts';
import { readRoute } from '../../../src/explorer/routes.ts';

const all = (from: Selection['from']): Selection => ({ from, filter: '', params: '', order: [] });

const PLAIN: ViewState = {
  dataclass: 'Employee',
  from: 'Employee',
  filter: '',
  params: '',
  order: [],
  columns: null,
  totals: null,
};

const low = { ...all('Employee'), id: 'AB12', filter: 'ID < 5' };
const combined = { operator: 'EXCEPT' as const, left: low, right: all('Employee') };
const totals = new Map([['ID', 'sum'] as const, ['employer.name', 'max'] as const]);

describe('the fragment of a view', () => {
  it.each<[string, Partial<ViewState>]>([
    ['all entities', {}],
    ['a relation', { from: 'Company(1)/employees' }],
    ['a key with signs', { from: 'Category(%22AC%252FDC%22)/products' }],
    ['two sets combined', { from: combined }],
    ['a combination of combinations', { from: { ...combined, left: all(combined) } }],
    ['a set', { from: low }],
    [
      'everything else',
      {
        ...{ filter: `lastName = "O'R&D?#" AND ID > :1`, params: '[1]', totals },
        ...{ order: parseOrder('employer.name DESC, ID'), columns: ['ID', 'employer.name'] },
      },
    ],
    ['totals that are still to be chosen', { totals: new Map() }],
  ])('opens %s again', (_, changed) => {
    const state = { ...PLAIN, ...changed };
    const route = readRoute(hrefOfView(state));
    expect(route.view).toBe('collection');
    if (route.view !== 'collection') return;
    expect(readViewState(route.dataclass, route.query)).toEqual(state);
  });

  it.each(rows`
    $directory/logout
    Employee(5)?$method=delete
    a/b/c
    {"from":"$directory/logout"}
    {"operator":"NAND","left":{"from":"A"},"right":{"from":"B"}}
    {"operator":"AND","left":{"from":"A"}}
    {
    ${''}
  `)('takes no source such as %j', (text) => {
    expect(readSource(text)).toBeNull();
  });

  it('leaves out ids that are none', () => {
    expect(readSource('{"from":"Employee","id":"../x"}')).toEqual(all('Employee'));
  });
});

describe('withoutIds', () => {
  it('forgets the sets that are gone, however deep', () => {
    expect(withoutIds(all(combined))).toEqual(
      all({ ...combined, left: { ...all('Employee'), filter: 'ID < 5' } }),
    );
  });
});

describe('order', () => {
  it('is read as $orderby is', () => {
    expect(parseOrder(' a desc, b.c ,')).toEqual([
      { path: 'a', descending: true },
      { path: 'b.c', descending: false },
    ]);
  });

  // The order, what is clicked, whether it goes behind others, and the order then.
  it.each(rows`
    ${''}     | a | false | a
    a         | a | false | a DESC
    a DESC    | a | false | ${''}
    a, b      | c | false | c
    a, b      | c | true  | a, b, c
    a, b      | a | true  | a DESC, b
    a DESC, b | a | true  | b
  `)('%j, with a click on %s (added: %s), is %j', (before, path, isAdded, after) => {
    expect(toggleOrder(parseOrder(before), path, isAdded === 'true')).toEqual(parseOrder(after));
  });
});

describe('requestForms', () => {
  it('keeps quotes from ending what they stand in', () => {
    const path = `/rest/Employee?$filter="lastName='O\\'"`;
    expect(requestForms(path, 'http://h:1')).toEqual({
      url: `http://h:1${path}`,
      curl: `curl -g 'http://h:1/rest/Employee?$filter="lastName='\\''O\\'\\''"'`,
      fetch: `const response = await fetch('http://h:1/rest/Employee?$filter="lastName=\\'O\\\\\\'"');\nconst answer = await response.json();`,
    });
  });
});
