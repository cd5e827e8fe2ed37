import { beforeAll, describe, expect, test } from 'vitest';
import { apiKeyHash, makeApiKey } from '../../src/access/auth/api-keys.ts';
import { configSchema } from '../../src/config/config.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import type { Verb } from '../../src/protocol/rest-request.ts';
import type { Gateway, Sent, startGateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import { sqlServerTarget } from '../targets/sqlserver.ts';
import { everyEndpoint, type Asked } from './denials/endpoints.ts';
import { claims, companyFilters, gatewaysOn, withholding } from './denials/withholding.ts';
import { onEveryTarget } from './writing.ts';

const key = makeApiKey();

/** The settings of a gateway whose roles these are; the key has the one that is asked with. */
function settingsOf(roles: object): Parameters<typeof startGateway>[1] {
  const { authentication, roles: parsed } = configSchema.parse({
    authentication: {
      apiKeys: [
        {
          name: 'tester',
          hash: `sha256:${apiKeyHash(key)}`,
          roles: Object.keys(roles),
          claims,
        },
      ],
    },
    roles,
  });
  return {
    ...(authentication === undefined ? {} : { authentication }),
    ...(parsed === undefined ? {} : { roles: parsed }),
  };
}

/** Whether the filter of a role goes over relations. */
function isOverRelations(where: string): boolean {
  return /\b(?:documents|projects|country|employees)\b/.test(where.replace(/\$claims\.\w+/g, ''));
}

/** An answer as text, whatever it says of why changes cannot be read. */
function withoutReason(told: unknown): string {
  return JSON.stringify(told).replace(/(The changes of Company cannot be read: )[^"]*/g, '$1…');
}

type Told = readonly [status: number, body: unknown];

/** What is not the same in two answers to one request: ids that are made, times, and what counts all changes. */
function masked(text: string): unknown {
  return JSON.parse(
    text
      .replace(/"(?:[0-9A-F]{32,}|[0-9a-f]{32})"/g, '"ID"')
      .replace(/\$entityset\/[0-9A-F]+/g, '$entityset/ID')
      .replace(/"__GlobalStamp":\d+/g, '"__GlobalStamp":0')
      .replace(/"(?:expiration|expires|refreshed)":"[^"]*"/g, '"time":""'),
  );
}

async function ask(
  gateway: Gateway,
  { verb, url, body }: Asked,
  headers: Record<string, string> = { 'api-key': key },
): Promise<Told> {
  const sent: Sent = { method: verb, headers, ...(body === undefined ? {} : { body }) };
  const { status, text, headers: told } = await gateway.get(url, sent);
  // What an image or BLOB holds is compared as it is.
  const isJson = told['content-type']?.includes('application/json; charset=utf-8') === true;
  return [status, text === '' ? null : isJson ? masked(text) : text];
}

/** An answer without what tells how clients log in, the security of an OpenAPI document and the logins of a catalog, and without tokens, which are for one configuration. */
function withoutLogins([status, body]: Told): Told {
  const text = JSON.stringify(body ?? null, (name, value: unknown) =>
    ['security', 'securitySchemes', 'logins', '__TOKEN'].includes(name) ? undefined : value,
  );
  return [status, JSON.parse(text)];
}

test.each(everyEndpoint)('$kind: $verb $url is what it says it is', ({ kind, verb, url }) => {
  expect(parseRequest(url, verb as Verb).ast.kind).toBe(kind);
});

/** The embedded engine stands for PostgreSQL: nothing of this is the engine's business but its SQL. */
const targets = [pgliteTarget, sqlServerTarget];

await onEveryTarget(
  'what is denied',
  (target) => {
    const { full, start, startWithout } = gatewaysOn(target);

    const ofOthers = everyEndpoint.filter(({ kind }) => kind !== 'directory' && kind !== 'info');

    describe('does not exist: a role is answered as if the mapping files did not have', () => {
      let byRole: Gateway;
      let byFiles: Gateway;
      beforeAll(async () => {
        byRole = await start(settingsOf(withholding()));
        byFiles = await startWithout('ID < 6');
      });

      test('and there is enough that is there', async () => {
        const told = [];
        for (const asked of everyEndpoint) told.push(await ask(byRole, asked));
        const found = told.filter(([status]) => status === 200);
        expect(found.length).toBeGreaterThan(35);
        expect(JSON.stringify(found)).not.toMatch(/creditLimit|directReports|assignments|source/);
      });

      test.each(ofOthers)('$kind: $verb $url', async (asked) => {
        // Only one of the two asks who its clients are.
        const expected = withoutLogins(await ask(byFiles, asked, {}));
        expect(withoutLogins(await ask(byRole, asked))).toEqual(expected);
      });
    });

    test.each(companyFilters)('does not exist where filters go over $kind', async (filter) => {
      const { where, left } = filter;
      const byRole = await start(settingsOf(withholding(where)));
      // Where related entities decide which there are, changes are not reported; without its claim, a filter finds nothing at once.
      const without = left.length === 0 ? 'ID < 0' : `ID in [${left.join()}]`;
      const byFiles = await startWithout(
        without,
        {},
        isOverRelations(where) && left.length > 0 ? { changes: false } : {},
      );
      const ids = await ask(byRole, {
        verb: 'GET',
        url: '/rest/Company/ID?$distinct=true&$orderby=ID',
      });
      expect(ids).toEqual([200, left]);
      const apart = [];
      for (const asked of ofOthers) {
        const expected = withoutLogins(await ask(byFiles, asked, {}));
        const told = withoutLogins(await ask(byRole, asked));
        if (withoutReason(told) !== withoutReason(expected)) apart.push({ asked, told, expected });
      }
      expect(apart).toEqual([]);
    });

    describe('is answered with 401 where nobody says who they are', () => {
      let gateway: Gateway;
      beforeAll(async () => {
        gateway = await start(settingsOf(withholding()));
      });

      test.each(everyEndpoint)('$kind: $verb $url', async (asked) => {
        const isLogin = asked.url.startsWith('/rest/$directory/login');
        const message = 'Authentication required: send your key in the header api-key.';
        if (asked.url.endsWith('/currentUser')) {
          const nobody = { result: null, logins: ['apiKey'] };
          expect(await ask(gateway, asked, {})).toEqual([200, nobody]);
          return;
        }
        expect(await ask(gateway, asked, {})).toEqual([
          401,
          asked.verb === 'HEAD'
            ? null
            : isLogin
              ? { result: false }
              : { __ERROR: [{ message, componentSignature: 'dbmg', errCode: 1822 }] },
        ]);
      });
    });

    describe('is answered with 403 where it is seen and may not be done', () => {
      let nothing: Gateway;
      let some: Gateway;
      let someOverRelations: Gateway;
      beforeAll(async () => {
        nothing = await start(settingsOf({ r: { dataclasses: { '*': { read: true } } } }));
        const read = { read: true };
        const own = {
          ...read,
          create: 'city = $claims.city',
          update: 'ID IN $claims.ids',
          delete: 'ID IN $claims.ids',
        };
        some = await start(settingsOf({ r: { dataclasses: { '*': read, Company: own } } }));
        // Most of what the filters go over is not seen.
        const over = {
          ...read,
          create: 'country.code IN $claims.nowhere or country.holidays.name = nowhere',
          update: 'country.code IN $claims.countries and documents != null',
          delete: 'documents.owner.country.code = "FR" or projects.lead.employer.country is null',
        };
        someOverRelations = await start(
          settingsOf({ r: { dataclasses: { Company: over, Country: read } } }),
        );
      });

      const codes = (body: unknown): unknown =>
        (body as { __ERROR?: { errCode: number }[] }).__ERROR?.map(({ errCode }) => errCode)[0];

      test.each([
        ['POST', '/rest/Company', '{"name":"x","country":"FR","registrationNo":990001}', 1559],
        [
          'POST',
          '/rest/Company?$method=update',
          '[{"name":"x","country":"FR","registrationNo":990001}]',
          1559,
        ],
        [
          'POST',
          '/rest/Company?$method=insert&$atomic=true',
          '[{"name":"x","country":"FR","registrationNo":990001}]',
          1559,
        ],
        ['POST', '/rest/Company', '{"__KEY":2,"__STAMP":1,"name":"x"}', 1558],
        ['PUT', '/rest/Company(2)', '{"__STAMP":1,"name":"x"}', 1558],
        ['POST', '/rest/Company(2)/logo?$binary=true', 'x', 1558],
        ['GET', '/rest/Company(2)?$lock=true', undefined, 1558],
        ['GET', '/rest/Company(2)?$lock=true&__STAMP=99', undefined, 1558],
        ['GET', '/rest/Company(2)?$lock=false', undefined, 1558],
        ['DELETE', '/rest/Company(2)', undefined, 1560],
        ['DELETE', '/rest/Company(2,3)', undefined, 1560],
        ['POST', '/rest/Company?$method=delete', '[{"__KEY":2,"__STAMP":1}]', 1560],
        ['POST', '/rest/Company?$filter="ID=2"&$method=delete', undefined, 1560],
      ] as const)('%s %s %s', async (verb, url, body, code) => {
        const [status, told] = await ask(nothing, { verb, url, body });
        const [first = told] = (told as { __ENTITIES?: unknown[] }).__ENTITIES ?? [];
        expect([status === 200 ? 403 : status, codes(first)]).toEqual([403, code]);
        for (const gateway of [some, someOverRelations]) {
          const [stillStatus, still] = await ask(gateway, { verb, url, body });
          const [one = still] = (still as { __ENTITIES?: unknown[] }).__ENTITIES ?? [];
          expect([stillStatus === 200 ? 403 : stillStatus, codes(one)]).toEqual([403, code]);
        }
      });

      test('a set of entities of which some may not be deleted is deleted by nobody', async () => {
        const made = await ask(some, {
          verb: 'GET',
          url: '/rest/Company?$method=entityset&$top=1',
        });
        expect(made[0]).toBe(200);
        const { text } = await some.get('/rest/Company?$method=entityset&$top=1', {
          headers: { 'api-key': key },
        });
        const { __ENTITYSET: uri } = JSON.parse(text) as { __ENTITYSET: string };
        const [status, told] = await ask(some, { verb: 'POST', url: `${uri}?$method=delete` });
        expect([status, codes(told)]).toEqual([403, 1560]);
      });

      test('what is allowed is done, and stays what it may be', async () => {
        const entity = async (id: number): Promise<{ __STAMP: number; name: string }> =>
          (await full.get(`/rest/Company(${id})`)).body as { __STAMP: number; name: string };
        const before = await entity(3);
        const save = async (fields: object, query = ''): Promise<Told> =>
          ask(some, { verb: 'POST', url: `/rest/Company${query}`, body: JSON.stringify(fields) });
        const changed = await save({ __KEY: 3, __STAMP: before.__STAMP, name: 'Renamed' });
        expect(changed).toMatchObject([200, { name: 'Renamed', __STATUS: { success: true } }]);
        const { __STAMP } = await entity(3);
        await save({ __KEY: 3, __STAMP, name: before.name });
        // A new one has to be as it may be made, and nothing of it stays where it is not.
        const count = async (): Promise<number> =>
          ((await full.get('/rest/Company?$top=0')).body as { __COUNT: number }).__COUNT;
        const first = await count();
        const elsewhere = await save({
          name: 'New',
          city: 'Paris',
          country: 'FR',
          registrationNo: 990002,
        });
        expect(elsewhere).toMatchObject([403, { __ERROR: [{ errCode: 1559 }, { errCode: 1534 }] }]);
        expect(await count()).toBe(first);
        const here = await save({
          name: 'New',
          city: 'Lyon',
          country: 'FR',
          registrationNo: 990002,
        });
        expect(here).toMatchObject([200, { city: 'Lyon' }]);
        const { __KEY: id } = here[1] as { __KEY: string };
        expect(await count()).toBe(first + 1);
        expect((await full.get(`/rest/Company(${id})`, { method: 'DELETE' })).status).toBe(200);
      });
    });
  },
  targets,
);
