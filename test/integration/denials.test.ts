import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiKeyHash, makeApiKey } from '../../src/access/auth/api-keys.ts';
import { configSchema } from '../../src/config/config.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import type { Verb } from '../../src/protocol/rest-request.ts';
import type { Gateway, Sent, startGateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import { sqlServerTarget } from '../targets/sqlserver.ts';
import { everyEndpoint, type Asked } from './denials/endpoints.ts';
import { claims, companyFilters, gatewaysOn, withholding } from './denials/withholding.ts';
import { Agent } from './mcp/client.ts';
import { parsed, rows } from '../rows.ts';
import { onEveryTarget } from './writing.ts';

const key = makeApiKey();

type Settings = NonNullable<Parameters<typeof startGateway>[1]>;

/** The settings of a gateway whose roles these are; the key has all of them. */
function settingsOf(roles: object): Settings {
  const hash = `sha256:${apiKeyHash(key)}`;
  const tester = { name: 'tester', hash, roles: Object.keys(roles), claims };
  const read = configSchema.parse({ authentication: { apiKeys: [tester] }, roles });
  return { authentication: read.authentication, roles: read.roles };
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

/** An answer without where in a URL an error is. */
function withoutPlace(told: unknown): unknown {
  return JSON.parse(JSON.stringify(told).replace(/ \(at position \d+ of [^)]*\)/g, ''));
}

const NEW = '{"name":"x","country":"FR","registrationNo":990001}';

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
        expect(found.length).toBeGreaterThan(25);
        expect(JSON.stringify(found)).not.toMatch(/creditLimit|directReports|assignments|source/);
      });

      test.each(ofOthers)('$kind: $verb $url', async (asked) => {
        // Only one of the two asks who its clients are.
        const expected = withoutLogins(await ask(byFiles, asked, {}));
        expect(withoutLogins(await ask(byRole, asked))).toEqual(expected);
      });
    });

    test.each([
      ['over relations', companyFilters.overRelations, { changes: false }],
      // Without its claim, a filter finds nothing at once.
      ['over claims that are missing', companyFilters.ofMissingClaims, {}],
    ])('does not exist where a filter goes %s', async (_, { where, left }, more) => {
      const byRole = await start(settingsOf(withholding(where)));
      const without = left.length === 0 ? 'ID < 0' : `ID in [${left.join()}]`;
      const byFiles = await startWithout(without, {}, more);
      const ids = '/rest/Company/ID?$distinct=true&$orderby=ID';
      expect(await ask(byRole, { verb: 'GET', url: ids })).toEqual([200, left]);
      const apart = [];
      for (const asked of ofOthers) {
        const expected = withoutLogins(await ask(byFiles, asked, {}));
        const told = withoutLogins(await ask(byRole, asked));
        if (withoutReason(told) !== withoutReason(expected)) apart.push({ asked, told, expected });
      }
      expect(apart).toEqual([]);
    });

    describe('does not exist for agents', () => {
      const { overRelations } = companyFilters;
      const { clerk } = withholding(overRelations.where);
      const roles = { clerk: { mcp: 'write', ...clerk } };
      const { mcp } = configSchema.parse({
        mcp: { enabled: true, maxAnswerBytes: 1_048_576, write: true },
      });
      const agents: Agent[] = [];
      let byRole: Gateway;
      let agent: Agent;
      let byFiles: Agent;
      beforeAll(async () => {
        byRole = await start({ ...settingsOf(roles), mcp });
        const others = await startWithout(`ID in [${overRelations.left.join()}]`, { mcp });
        agent = await Agent.connect(byRole.port, { 'api-key': key });
        byFiles = await Agent.connect(others.port);
        agents.push(agent, byFiles);
      });
      afterAll(async () => {
        for (const one of agents) await one.close();
      });

      test.each(rows`
        query     | {dataclass: Company, filter: creditLimit > 0, top: 100, skip: 0} | Company?$filter="creditLimit > 0"
        query     | {dataclass: Employee, order: 'employer.name desc,ID', attributes: [ID, employer.name], top: 100, skip: 0}
          | Employee?$orderby="employer.name desc,ID"&$attributes=ID,employer.name
        read      | {dataclass: Company, key: 9}                               | Company(9)
        read      | {dataclass: Assignment, key: 1;1}                          | Assignment(1;1)
        compute   | {dataclass: Company, attribute: ID, function: all}         | Company?$attributes=ID&$compute=$all
        distinct  | {dataclass: LogEntry, attribute: source, top: 100}         | LogEntry?$attributes=source&$distinct=true&$top=100
        aggregate | {dataclass: Company, groups: [creditLimit], top: 100}      | Company?$groupby=creditLimit&$top=100
        save      | {dataclass: Company, key: 9, stamp: 1, values: {name: x}}
          | Company?$method=update&$refresh=true | {__KEY: 9, __STAMP: 1, name: x}
        delete    | {dataclass: Project, key: 1, stamp: 1} | Project?$method=delete&$refresh=true | {__KEY: 1, __STAMP: 1}
      `)('%s %s', async (tool, args, path, body = '') => {
        const sent = body === '' ? undefined : JSON.stringify(parsed(body));
        const verb = sent === undefined ? 'GET' : 'POST';
        const [status, told] = await ask(byRole, { verb, url: `/rest/${path}`, body: sent });
        const answered = await Promise.all(
          [agent, byFiles].map(async (one) => {
            const { isError, data } = await one.call(tool, parsed(args));
            return [isError, withoutPlace(masked(JSON.stringify(data)))];
          }),
        );
        const byRest = [status >= 400, withoutPlace(told)];
        expect(answered).toEqual([byRest, byRest]);
      });

      test('in the description of the model', async () => {
        const described = async (one: Agent): Promise<unknown[]> => {
          const list = (await one.told('describe_model')) as { name: string }[];
          const dataclasses = list.map(({ name }) => name);
          const { resources } = await one.client.listResources();
          const { tools } = await one.client.listTools();
          return [list, await one.told('describe_model', { dataclasses }), resources, tools];
        };
        const told = await described(agent);
        expect(told).toEqual(await described(byFiles));
        expect(JSON.stringify(told)).not.toMatch(/creditLimit|directReports|Assignment|"source/);
        expect(await agent.told('describe_model', { dataclasses: ['Assignment'] })).toEqual([
          [1800, 'There is no dataclass Assignment.'],
        ]);
        const uri = 'entitygate://dataclass/Assignment';
        await expect(agent.client.readResource({ uri })).rejects.toThrow(
          `There is no resource ${uri}.`,
        );
      });
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

      test.each(rows`
        POST   | Company                               | 1559 | ${NEW}
        POST   | Company?$method=insert&$atomic=true   | 1559 | [${NEW}]
        POST   | Company                               | 1558 | {"__KEY":2,"__STAMP":1,"name":"x"}
        PUT    | Company(2)                            | 1558 | {"__STAMP":1,"name":"x"}
        POST   | Company(2)/logo?$binary=true          | 1558 | x
        GET    | Company(2)?$lock=true&__STAMP=99      | 1558
        GET    | Company(2)?$lock=false                | 1558
        DELETE | Company(2,3)                          | 1560
        POST   | Company?$method=delete                | 1560 | [{"__KEY":2,"__STAMP":1}]
        POST   | Company?$filter="ID=2"&$method=delete | 1560
      `)('%s %s: %s', async (verb, path, code, body) => {
        for (const gateway of [nothing, some, someOverRelations]) {
          const [status, told] = await ask(gateway, { verb, url: `/rest/${path}`, body });
          const [one = told] = (told as { __ENTITIES?: unknown[] }).__ENTITIES ?? [];
          expect([status === 200 ? 403 : status, codes(one)]).toEqual([403, Number(code)]);
        }
      });

      test('what is allowed is done, and a new entity stays only where it is as it may be', async () => {
        const save = async (city: string): Promise<Told> => {
          const body = `{"name":"New","city":"${city}","country":"FR","registrationNo":990002}`;
          return ask(some, { verb: 'POST', url: '/rest/Company', body });
        };
        const count = async (): Promise<number> =>
          ((await full.get('/rest/Company?$top=0')).body as { __COUNT: number }).__COUNT;
        const first = await count();
        expect(await save('Paris')).toMatchObject([
          403,
          { __ERROR: [{ errCode: 1559 }, { errCode: 1534 }] },
        ]);
        expect(await count()).toBe(first);
        const [status, made] = await save('Lyon');
        expect([status, made]).toMatchObject([200, { city: 'Lyon' }]);
        const { ID: id } = made as { ID: number };
        expect((await full.get(`/rest/Company(${id})`, { method: 'DELETE' })).status).toBe(200);
        const company = (await full.get('/rest/Company(3)?$attributes=name')).text;
        const again = await ask(some, { verb: 'POST', url: '/rest/Company', body: company });
        expect(again).toMatchObject([200, { __STATUS: { success: true } }]);
      });
    });
  },
  targets,
);
