import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import type { Gateway } from '../targets/gateway.ts';
import { parseCases } from './parse.ts';
import { runCase, variantsOf } from './run.ts';

const file = fileURLToPath(import.meta.url);

/** Runs the variants of a case behind a gateway that answers each URL with its last character. */
async function run(steps: string, unwritten = null as Parameters<typeof runCase>[2]['unwritten']) {
  const gateway = {
    port: 1,
    database: { version: '' },
    get: (url: string) => Promise.resolve({ status: 200, headers: {}, body: url.slice(-1) }),
  } as unknown as Gateway;
  const place = {
    ...{ engine: 'pglite', gateway, users: { zoe: {} } },
    verbs: { READ: () => Promise.resolve(null) },
    run: () =>
      Promise.reject(
        new ProtocolError('databaseUnavailable', 'It is away.', undefined, new Error('no app.b')),
      ),
  };
  const [group] = parseCases(`tables a: b\n== c\n${steps}`, file);
  for (const one of group?.cases.flatMap(variantsOf) ?? []) {
    await runCase(one, place, { file, unwritten });
  }
}

test.each([
  ['GET A', ':3: no answer yet, UPDATE_CASES=1 writes it'],
  ['POST A B → 200 "B"', ":3\ncurl -g -X POST -d 'B' 'http://127.0.0.1:1/rest/A'\n: expected"],
  ['as ada\nGET A → 200', ':4: there is no user ada, only zoe'],
  ['WAIT 1', ':3: the tables have no verb WAIT, only READ'],
  ['SQL UPDATE app.b', ':3: SQL UPDATE app.b: no app.b'],
])('%j is told as what it is', async (steps, message) => {
  await expect(run(steps)).rejects.toThrow(file + message);
});

test('an answer that is written has to fit the variants behind it', async () => {
  await run('for key: ["6","7"]\nGET ${key}/A', new Map());
  await expect(run('for key: ["6","7"]\nGET A/${key}', new Map())).rejects.toThrow(
    ':4: the answer written before does not fit here\ncurl',
  );
});
