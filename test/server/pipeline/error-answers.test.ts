import { expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import type { RequestObserver } from '../../../src/base/observe/observer.ts';
import { checkRights } from '../../../src/plan/write/rights.ts';
import { reportError } from '../../../src/server/pipeline/error-answers.ts';
import { NO_ORIGINS, refuseOtherOrigin } from '../../../src/server/http/admission.ts';

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

test('without advice nothing but errors of the gateway is reported', () => {
  const heard: unknown[] = [];
  const observer = {
    warned: (text: string) => heard.push(text),
    errorMet: () => heard.push('err'),
  };
  for (const name of ['badQuery', 'notServed', 'internal'] as const) {
    reportError(new ProtocolError(name, 'so it is'), observer as unknown as RequestObserver);
  }
  expect(heard).toEqual(['err']);
});
