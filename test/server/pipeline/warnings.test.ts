import { expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import type { RequestObserver } from '../../../src/base/observe/observer.ts';
import { checkRights } from '../../../src/plan/write/rights.ts';
import { reportError } from '../../../src/server/pipeline/error-answers.ts';
import { NO_ORIGINS, refuseOtherOrigin } from '../../../src/server/http/admission.ts';
import { defaultLimits } from '../../../src/base/limits.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import type { Verb } from '../../../src/protocol/rest-request.ts';
import { mixedFilterWarning } from '../../../src/server/pipeline/mixed-filter.ts';
import { rows } from '../../rows.ts';

const site = { origin: 'https://shop.example' };
const request = { verb: 'POST', headers: site, host: 'api.example', isSecure: true } as const;
const readOnly = { name: 'Order', readOnly: '', rights: {} } as never;

test.each([
  [
    'a site',
    () => refuseOtherOrigin(request, NO_ORIGINS),
    /^Cross-site request rejected\. To allow .* add it to cors\.origins\.$/,
  ],
  ['a dataclass', () => checkRights(readOnly, 'update'), /See readOnly, .* config\.yaml\.$/],
  [
    'a schema',
    () => {
      throw ProtocolError.of('schemaChanged');
    },
    /read the schema\. Run entitygate check, and reload the gateway\.$/,
  ],
])('%s: the log has the advice for the operator, the client the words for it', (_, refuse, log) => {
  const heard: string[] = [];
  const observer = { warned: (text: string) => heard.push(text), errorMet: () => undefined };
  let told = '';
  try {
    refuse();
  } catch (error) {
    reportError(error, observer as unknown as RequestObserver);
    told = (error as ProtocolError).inside('lines[1]').toJsonText();
  }
  expect(told).not.toMatch(/config\.yaml|mapping file|cors\.|entitygate/);
  expect(heard).toEqual([expect.stringMatching(log)]);
});

function about(readAs: string, parameter = '$filter'): string {
  return `A ${parameter} for A joins AND and OR without parentheses. It is read from left to right, as: ${readAs}. Parentheses make it say what is meant.`;
}

const having = about('(n > ? OR sum(t) > ?) AND b', '$having');
const mixed = about('(a OR b) AND c');

test.each(rows`
  A?$filter=a = 1 OR b = secret AND c                   | ${about('(a = ? OR b = ?) AND c')}
  A?$filter=a AND b OR c                                | ${about('(a AND b) OR c')}
  A?$filter=a %26 b \| c %26 d                          | ${about('((a AND b) OR c) AND d')}
  A?$filter=a OR b EXCEPT c AND d                       | ${about('((a OR b) EXCEPT c) AND d')}
  A?$filter=x AND (a OR b AND c) AND y                  | ${about('x AND ((a OR b) AND c) AND y')}
  A?$filter=NOT (a OR b AND c)                          | ${about('NOT ((a OR b) AND c)')}
  A?$filter=a.b %25 x OR c IN [1,2] AND d !== null      | ${about('(a.b % ? OR c IN ?) AND d !== ?')}
  A/n?$compute=sum&$filter=a OR b AND c                 | ${mixed}
  A?$method=entityset&$filter=a OR b AND c              | ${mixed}
  A/$entityset/ABC?$filter=a OR b AND c                 | ${mixed}
  A?$method=delete&$filter=a OR b AND c                 | ${mixed} | POST
  A?$groupby=b&$aggregate=count as n&$having=n > 1 or sum(t) > 2 and b&$filter=a OR b AND c | ${mixed} ${having}
  A?$filter=a = "x AND y OR z" | null
  A?$filter=a AND b AND c      | null
  A?$filter=a OR b EXCEPT c    | null
  A?$filter=a OR (b AND c)     | null
  A?$filter=NOT (a OR b) AND c | null
  A | null
  $catalog | null
`)('of AND and OR without parentheses, without values: %s', (path, warning, verb = 'GET') => {
  const { ast } = parseRequest(`/rest/${path}`, verb as Verb, defaultLimits, () => false);
  expect(mixedFilterWarning(ast)).toBe(warning === 'null' ? null : warning);
});
