import { describe, expect, test } from 'vitest';
import type { EntitySetRequest, KeyNode, ParameterRef } from '../../../src/protocol/ast.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { complaint } from '../complaint.ts';
import { parsed, rows } from '../../rows.ts';

const SET = '/rest/Emp/$entityset/0A';

/** What a URL says of the set that it makes or reads, its values filled in. */
function read(url: string): object {
  const { ast, values } = parseRequest(url);
  const { read: page, ...set } = ast as EntitySetRequest;
  const value = (parameter: ParameterRef): unknown => values[parameter.parameter]?.value;
  const { lifetime, combination, saved, find } = set;
  return {
    ...set,
    selector: page.selector.kind,
    orderBy: page.orderBy.map(({ path, descending }) => [...path.names, descending]),
    filter: page.filter?.kind ?? null,
    lifetime: lifetime === null ? null : value(lifetime),
    find: find === null ? null : valuesOf(find).map(value),
    combination: combination === null ? null : [combination.operator, value(combination.other)],
    saved:
      saved === null
        ? null
        : [saved.filter?.kind ?? null, saved.orderBy.length, value(saved.lifetime)],
  };
}

function valuesOf(key: KeyNode): readonly ParameterRef[] {
  const raw = key.raw === undefined ? [] : [key.raw];
  switch (key.kind) {
    case 'scalar':
      return [key.value, ...raw];
    case 'tuple':
      return [...key.values, ...raw];
    case 'object':
      return [...key.entries.map(([, parameter]) => parameter), ...raw];
    case 'broken':
      return raw;
  }
}

const plain = {
  kind: 'entitySet',
  ofRelation: false,
  namesSet: false,
  orderedBy: '$orderby',
  lifetime: null,
  clean: false,
  find: null,
  combination: null,
  removed: null,
  saved: null,
  selector: 'entitySet',
  orderBy: [],
  filter: null,
};

describe('a URL that makes or reads an entity set (§4.6 to §4.9)', () => {
  test.each(rows`
    ${SET} | {}
    ${SET}?$skip=1&$top=2&$attributes=a&$asArray=true | {}
    /rest/Emp?$method=entityset | {selector: all, lifetime: '7200'}
    /rest/Emp?$filter="a=1"&$orderby=a&$method='entityset'&$timeout=60 | {selector: all, lifetime: '60', filter: comparison, orderBy: [[a, false]]}
    /rest/Emp(5)?$method=entityset | {selector: key, lifetime: '7200'}
    /rest/Emp(5,6)?$method=entityset | {selector: keyList, lifetime: '7200'}
    /rest/Emp(5)/b?$expand=b&$method=subentityset&$subOrderby="c DESC" | {selector: key, ofRelation: true, orderedBy: $subOrderby, lifetime: '7200', orderBy: [[c, true]]}
    ${SET}?$method=subentityset&$timeout=9 | {namesSet: true}
    ${SET}?$method=subentityset&$subOrderby="c DESC" | {namesSet: true, orderedBy: $subOrderby, orderBy: [[c, true]]}
    ${SET}?$method=subentityset&$filter="a=1" | {filter: comparison, lifetime: '7200'}
    ${SET}?$method=subentityset&$orderby=a | {orderBy: [[a, false]], lifetime: '7200'}
    ${SET}?$clean=true&$method=entityset | {clean: true, lifetime: '7200'}
    ${SET}?$clean=true | {clean: true}
    ${SET}?$logicOperator=Except&$otherCollection=0B&$method=entityset | {combination: [except, 0B], lifetime: '7200'}
    ${SET}?$logicOperator=INTERSECT&$otherCollection=/rest/Emp/$entityset/0B | {combination: [intersect, 0B]}
    ${SET}?$savedfilter="a=1" | {saved: [comparison, 0, '600']}
    ${SET}?$savedfilter="$all"&$savedorderby="a,b desc"&$timeout=9 | {saved: [null, 2, '9']}
    ${SET}?$savedfilter=true&$savedorderby=true | {}
    ${SET}?$findKey=7 | {find: ['7', '7']}
    ${SET}?$findKey='7;2' | {find: ['7', '2', 7;2]}
    ${SET}?$findKey={"b": 2,"a":"%2541"} | {find: ['2', '%41', '{"b": 2,"a":"%41"}']}
    ${SET}?$findKey='"a;b,c)/" ' | {find: ['a;b,c)/', '"a;b,c)/" ']}
    ${SET}?$findKey=a,b) | {find: ['a,b)', 'a,b)']}
    ${SET}?$findKey=a; | {find: [a;]}
    ${SET}?$findKey="" | {find: ['']}
    ${SET}?$findKey=7&$savedfilter="a=:1"&$params='[5]'&$savedorderby=a&$timeout=9 | {find: ['7', '7'], saved: [comparison, 1, '9']}
    /rest/Emp?$filter="a=1"&$savedfilter="a=1"&$method=entityset | {selector: all, filter: comparison, lifetime: '7200', saved: [comparison, 0, '7200']}
  `)('%s', (url, parts) => {
    expect(read(url)).toEqual({ ...plain, ...parsed(parts) });
  });

  test.each([
    `${SET}?$method=release`,
    `${SET}?$method=release&$savedfilter="a=1"&$savedorderby=a`,
  ])('gives a set up: %s', (url) => {
    const { ast, values } = parseRequest(url);
    expect(ast).toEqual({ kind: 'release', dataclass: 'Emp', id: { parameter: 0, class: 'word' } });
    expect(values[0]?.value).toBe('0A');
  });

  test.each(rows`
    ${SET}?$findKey=7 | ${SET}?$findKey=8
    ${SET}?$savedfilter="a=1"&$top=3 | /rest/Emp/$entityset/FF?$savedfilter="a=2"&$top=9
    /rest/Emp?$method=entityset&$timeout=1&$skip=3 | /rest/Emp?$method=entityset&$timeout=2&$skip=4
    ${SET}?$logicOperator=AND&$otherCollection=0B | ${SET}?$logicOperator=AND&$otherCollection=0C
  `)('%s and %s share a shape', (one, other) => {
    expect(parseRequest(one).shape).toBe(parseRequest(other).shape);
  });

  test.each([
    [SET, `${SET}?$clean=true`],
    [SET, `${SET}?$findKey=1`],
    [`${SET}?$findKey=1`, `${SET}?$findKey=1;2`],
    [`${SET}?$findKey={"a":1}`, `${SET}?$findKey={"b":1}`],
    [`${SET}?$savedfilter="$all"`, SET],
    [`${SET}?$savedfilter="a=1"`, `${SET}?$filter="a=1"`],
    [`${SET}?$method=entityset`, SET],
    ['/rest/Emp(1)/b?$method=entityset', '/rest/Emp(1)/b?$method=subentityset'],
    ['/rest/Emp?$method=entityset', '/rest/Emp'],
    [`${SET}?$savedfilter="$all"&$savedorderby=a`, `${SET}?$savedfilter="$all"&$savedorderby=b`],
  ])('%s and %s do not', (one, other) => {
    expect(parseRequest(one).shape).not.toBe(parseRequest(other).shape);
  });

  test.each([SET, `${SET}?$clean=true`, `${SET}?$findKey=1`, `${SET}?$savedfilter=true`])(
    'HEAD %s is read as GET is',
    (url) => {
      expect(parseRequest(url, 'HEAD')).toEqual(parseRequest(url));
    },
  );
});

describe('what is refused of entity sets', () => {
  test.each([
    ...rows`
    /rest/Emp?$method=release | notApplicable      | $method=release applies to an entity set: /rest/Emp/$entityset/<id>.
    /rest/Emp?$findKey=1 | notApplicable      | $findKey does not apply to a read. (at position 11 of the URL)
    ${SET}?$findKey=1&$method=entityset | notApplicable      | $method does not apply to a search by $findKey. (at position 36 of the URL)
    ${SET}?$findKey=1&$timeout=5 | notApplicable      | $timeout needs $method=entityset or $savedfilter. (at position 36 of the URL)
    ${SET}/a?$findKey=1 | notApplicable      | $findKey answers where an entity stands: a list of attributes is not allowed with it. (at position 27 of the URL)
    ${SET}?$method=release&$top=1 | notApplicable      | $top does not apply to $method=release. (at position 41 of the URL)
    ${SET}?$timeout=5 | notApplicable      | $timeout needs $method=entityset or $savedfilter. (at position 25 of the URL)
    /rest/Emp?$timeout=5 | notApplicable      | $timeout does not apply to a read. (at position 11 of the URL)
    ${SET}?$otherCollection=0B | notApplicable      | $otherCollection needs $logicOperator. (at position 25 of the URL)
    ${SET}?$logicOperator=AND | otherSetMissing    | $logicOperator combines the set with another one: give its id by $otherCollection. (at position 25 of the URL)
    ${SET}?$logicOperator=XOR&$otherCollection=0B | badLogicalOperator | There is no operator "XOR"; expected AND, OR, EXCEPT or INTERSECT. (at position 1 of $logicOperator)
    ${SET}?$logicOperator=INTERSECT&$otherCollection=0B&$method=entityset | notApplicable
      | $logicOperator=INTERSECT answers true or false: $method is not allowed with it. (at position 70 of the URL)
    /rest/Emp?$clean=true&$method=entityset | notApplicable      | $clean does not apply to $method=entityset. (at position 11 of the URL)
    /rest/Emp?$subOrderby=a&$method=entityset | notApplicable      | $subOrderby does not apply to $method=entityset. (at position 11 of the URL)
    /rest/Emp(1)/b?$method=subentityset&$subOrderby=a&$orderby=b | notApplicable      | $subOrderby orders the entities, and so does $orderby: give one. (at position 37 of the URL)
    /rest/Emp?$method=entityset&$asArray=true | notApplicable      | $asArray leaves no place to tell the id of the set that is made. (at position 29 of the URL)
    ${SET}?$clean=maybe | badUrl             | The value of $clean is "maybe"; expected true or false. (at position 1 of $clean)
  `,
    ...['0', '-1', 'abc', '1.5', '2147483648', ''].map((text): [string, string, string] => [
      `/rest/Emp?$method=entityset&$timeout=${text}`,
      'badNumber',
      `The value of $timeout is "${text}"; expected a whole number of seconds from 1 to 2147483647. (at position 1 of $timeout)`,
    ]),
  ])('%s', (url, name, message) => {
    expect(complaint(() => parseRequest(url))).toEqual([name, message]);
  });

  test.each(rows`
    ${SET}?$method=release                 | $method=release is allowed on GET only: HEAD changes nothing. (at position 25 of the URL)
    /rest/Emp?$method=entityset&$timeout=0 | $method=entityset is allowed on GET only: HEAD changes nothing. (at position 11 of the URL)
    ${SET}?$top=1&$savedfilter=$all        | $savedfilter is allowed on GET only: HEAD changes nothing.
    ${SET}?$findKey=1&$savedfilter=$all    | $savedfilter is allowed on GET only: HEAD changes nothing.
  `)('HEAD %s, which is safe (RFC 9110, 9.2.1)', (url, message) => {
    expect(complaint(() => parseRequest(url, 'HEAD'))).toEqual(['verbNotAllowed', message]);
  });
});
