import { describe, expect, it } from 'vitest';
import type { Selection } from '../../../src/explorer/collection/selection.ts';
import {
  parseOrder,
  readSource,
  toggleOrder,
  withoutIds,
} from '../../../src/explorer/collection/selection.ts';
import {
  hrefOfView,
  readViewState,
  type ViewState,
} from '../../../src/explorer/collection/view-state.ts';
import { requestForms } from '../../../src/explorer/collection/request-forms.ts';
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

describe('the fragment of a view', () => {
  it.each<[string, ViewState]>([
    ['all entities', PLAIN],
    ['a relation', { ...PLAIN, from: 'Company(1)/employees' }],
    ['a key with signs', { ...PLAIN, from: 'Category(%22AC%252FDC%22)/products' }],
    ['two sets combined', { ...PLAIN, from: combined }],
    ['a combination of combinations', { ...PLAIN, from: { ...combined, left: all(combined) } }],
    ['a set', { ...PLAIN, from: low }],
    [
      'everything else',
      {
        ...PLAIN,
        filter: `lastName = "O'R&D?#" AND ID > :1`,
        params: '[1]',
        order: [
          { path: 'employer.name', descending: true },
          { path: 'ID', descending: false },
        ],
        columns: ['ID', 'employer.name'],
        totals: new Map([['ID', 'sum'] as const, ['employer.name', 'max'] as const]),
      },
    ],
    ['totals that are still to be chosen', { ...PLAIN, totals: new Map() }],
  ])('opens %s again', (_, state) => {
    const route = readRoute(hrefOfView(state));
    expect(route.view).toBe('collection');
    if (route.view !== 'collection') return;
    expect(readViewState(route.dataclass, route.query)).toEqual(state);
  });

  it.each([
    '$directory/logout',
    'Employee(5)?$method=delete',
    'a/b/c',
    '{"from":"$directory/logout"}',
    '{"operator":"NAND","left":{"from":"A"},"right":{"from":"B"}}',
    '{"operator":"AND","left":{"from":"A"}}',
    '{',
    '',
  ])('takes no source such as %j', (text) => {
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

  it('goes from ascending to descending to none', () => {
    const once = toggleOrder([], 'a', false);
    const twice = toggleOrder(once, 'a', false);
    expect([once, twice, toggleOrder(twice, 'a', false)]).toEqual([
      [{ path: 'a', descending: false }],
      [{ path: 'a', descending: true }],
      [],
    ]);
  });

  it('takes the place of another order, or goes behind it', () => {
    const order = parseOrder('a, b');
    expect(toggleOrder(order, 'c', false)).toEqual(parseOrder('c'));
    expect(toggleOrder(order, 'c', true)).toEqual(parseOrder('a, b, c'));
    expect(toggleOrder(order, 'a', true)).toEqual(parseOrder('a DESC, b'));
    expect(toggleOrder(parseOrder('a DESC, b'), 'a', true)).toEqual(parseOrder('b'));
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
