import { expect, test } from 'vitest';
import { loggedUrl } from '../../../src/base/observe/request-log.ts';

const key = `egk_${'a1-_'.repeat(12)}`;

test.each([
  ['/rest/$directory/login?user=ada&password=pw', '/rest/$directory/login?user=***&password=***'],
  ['/rest/A?PassWord-4D=x=y&username-4D=a', '/rest/A?PassWord-4D=***&username-4D=***'],
  ['/rest/A?pass%77ord=pw&access_token=x', '/rest/A?pass%77ord=***&access_token=***'],
  ['/rest/A?api-key=%zz&$top=5', '/rest/A?api-key=***&$top=5'],
  ['/rest/A?%zz=1&token=', '/rest/A?%zz=1&token=***'],
  [`/rest/A?$filter="name=${key}"`, '/rest/A?$filter="name=egk_***"'],
  [`/rest/${key}`, '/rest/egk_***'],
  ['http://ada:pw@host/rest/A', 'http://***@host/rest/A'],
  ['/rest/A?$filter="user=5"&$skip=1', '/rest/A?$filter="user=5"&$skip=1'],
  ['/rest/A?$filter="a=1"&password="b&c', '/rest/A?$filter="a=1"&password=***&c'],
  [
    '/rest/A?sslpassword=x&Client%20Secret=y&a=1',
    '/rest/A?sslpassword=***&Client%20Secret=***&a=1',
  ],
  ['/rest/A?conn=Server=h;Pwd=x;Database=d', '/rest/A?conn=Server=h;Pwd=***;Database=d'],
  ['/rest/A?url=postgres://ada:pw@host/d', '/rest/A?url=postgres://***@host/d'],
  [
    '/rest/A?url=postgres%3A%2F%2Fada%3Apw%40host%2Fd',
    '/rest/A?url=postgres%3A%2F%2F***%40host%2Fd',
  ],
  ['/rest/A(user=1)', '/rest/A(user=1)'],
  [`/rest/${'a'.repeat(1994)}`, `/rest/${'a'.repeat(1994)}`],
  [`/rest/${'a'.repeat(1995)}`, `/rest/${'a'.repeat(1994)}…`],
  [`/rest/A?password=${'a'.repeat(3000)}`, '/rest/A?password=***'],
])('%s is logged without what would let somebody in', (url, told) => {
  expect(loggedUrl(url)).toBe(told);
});
