import { beforeAll, describe, expect, test } from 'vitest';
import { splitUrl } from '../../src/protocol/url/url.ts';
import { type Asked, endpoints } from './denials/endpoints.ts';
import type { RequestAst } from '../../src/protocol/ast.ts';
import type { Gateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import { sqlServerTarget } from '../targets/sqlserver.ts';
import { claims, companyFilters, gatewaysOn, withholding } from './denials/withholding.ts';
import { Agent, errorsIn, withAgents, type Users } from './mcp/client.ts';
import { onEveryTarget } from './writing.ts';

/** A request of REST, and the call of a tool that means the same. */
interface Pair {
  readonly rest: Asked;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** `/rest/Company(9)/creditLimit`, with at most one name behind the dataclass. */
const PATH = /^\/rest\/([A-Za-z]\w*)(?:\(([^():,]+)\))?(?:\/([\w.]+))?$/;

const list = (text: string | undefined): readonly string[] | undefined => text?.split(',');

/** The call of a tool that means the same as a request; null where no tool does: agents have no sets, no paths over relations, no locks and no bytes. */
function asTool({ verb, url, body }: Asked): Pair | null {
  const { path, parameters } = splitUrl(url);
  const [, dataclass, key, segment] = PATH.exec(path) ?? [];
  if (dataclass === undefined || verb === 'HEAD') return null;
  const given = Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
  if (verb === 'GET') return asRead({ verb, url }, { dataclass, key, segment }, given);
  return segment === undefined ? asWrite({ verb, url, body }, dataclass, key, given) : null;
}

interface Addressed {
  readonly dataclass: string;
  readonly key: string | undefined;
  readonly segment: string | undefined;
}

function asRead(
  rest: Asked,
  { dataclass, key, segment }: Addressed,
  given: Readonly<Record<string, string>>,
): Pair | null {
  const {
    $filter: filter,
    $orderby: order,
    $attributes,
    $expand,
    $top,
    $skip,
    $compute,
    $distinct,
    $groupby,
    $aggregate,
    $having: having,
    ...others
  } = given;
  if (Object.keys(others).length > 0) return null;
  const attribute = segment ?? $attributes;
  // An attribute in the path may also be taken for a key, of which the message of REST tells.
  const url =
    segment === undefined ? rest.url : rest.url.replace(`/${segment}?`, `?$attributes=${segment}&`);
  if ($compute !== undefined) {
    if (key !== undefined || order !== undefined) return null;
    return {
      rest: { ...rest, url },
      tool: 'compute',
      args: { dataclass, attribute, function: $compute.replace('$', ''), filter },
    };
  }
  const top = Number($top ?? 100);
  if ($groupby !== undefined || $aggregate !== undefined) {
    if (key !== undefined || segment !== undefined) return null;
    const lists = { groups: list($groupby), aggregates: list($aggregate) };
    return {
      rest: { ...rest, url: $top === undefined ? `${url}&$top=100` : url },
      tool: 'aggregate',
      args: { dataclass, ...lists, filter, having, order, top },
    };
  }
  if ($distinct !== undefined) {
    if (key !== undefined || order !== undefined) return null;
    const page = $top === undefined ? `${url}&$top=100` : url;
    return {
      rest: { ...rest, url: page },
      tool: 'distinct',
      args: { dataclass, attribute, filter, top },
    };
  }
  if (segment !== undefined) return null;
  const shown = { attributes: list($attributes), expand: list($expand) };
  if (key !== undefined) {
    if (filter !== undefined || order !== undefined) return null;
    const plain = key.replace(/^"(.*)"$/, '$1');
    return { rest, tool: 'read', args: { dataclass, key: plain, ...shown } };
  }
  const skip = Number($skip ?? 0);
  return { rest, tool: 'query', args: { dataclass, filter, order, top, skip, ...shown } };
}

function asWrite(
  { verb, url, body }: Asked,
  dataclass: string,
  key: string | undefined,
  given: Readonly<Record<string, string>>,
): Pair | null {
  const isPlain = Object.keys(given).every((name) => name === '$method' || name === '$refresh');
  if (!isPlain || url.includes('"')) return null;
  const isDelete = verb === 'DELETE' || given['$method'] === 'delete';
  const sent = (body === undefined ? {} : JSON.parse(body)) as Record<string, unknown>;
  if (Array.isArray(sent)) return null;
  const { __KEY: own = key, __STAMP: stamp = isDelete ? 1 : undefined, ...values } = sent;
  if (typeof stamp === 'number' && stamp < 0) return null;
  if (isDelete && own === undefined) return null;
  const method = isDelete ? 'delete' : 'update';
  return {
    rest: {
      verb: 'POST',
      url: `/rest/${dataclass}?$method=${method}&$refresh=true`,
      body: JSON.stringify({ ...values, __KEY: own, __STAMP: stamp }),
    },
    tool: isDelete ? 'delete' : 'save',
    args: { dataclass, key: own, stamp, ...(isDelete ? {} : { values }) },
  };
}

const reads = ['read', 'compute', 'distinct', 'groups'] as const;
const kinds: readonly RequestAst['kind'][] = [...reads, 'save', 'delete'];

/** The requests of the table of denials that agents can make as well. */
const pairs = kinds.flatMap((kind) => endpoints[kind].flatMap((asked) => asTool(asked) ?? []));

/** What is not alike in two answers to one question: what counts all changes, and where in a URL an error is. */
function masked(text: string): unknown {
  return JSON.parse(
    text
      .replace(/"__GlobalStamp":\d+/g, '"__GlobalStamp":0')
      .replace(/ \(at position \d+ of [^)]*\)/g, '')
      // Identities are used up by dry runs.
      .replace(/"(?:ID|__KEY)":"?\d{3,}"?/g, '"key":0')
      .replace(/\(\d{3,}\)/g, '(0)')
      .replace(/"(?:modified|__TIMESTAMP)":"2[^"]*"/g, '"time":0'),
  );
}

const settings = { mcp: { enabled: true, maxAnswerBytes: 1_048_576 } };

/** A role of the table, as one by which agents may write. */
function writing(role: object): Record<string, object> {
  return Object.fromEntries(
    Object.entries(role).map(([name, setting]) => [name, { mcp: 'write', ...(setting as object) }]),
  );
}

function withClaims(users: Users): Users['settings'] {
  const { authentication } = users.settings;
  const apiKeys = authentication?.apiKeys?.map((key) => ({ ...key, claims })) ?? [];
  return {
    ...users.settings,
    ...(authentication && { authentication: { ...authentication, apiKeys } }),
  };
}

/** Its filter goes over relations that the role does not see, and over nulls. */
const { where, left } = companyFilters[4];

/** The embedded engine stands for PostgreSQL, as in the tests of what REST denies. */
const targets = [pgliteTarget, sqlServerTarget];

await onEveryTarget(
  'what is denied to agents',
  (target) => {
    const agents: Agent[] = [];
    const { start, startWithout } = gatewaysOn(target, async () => {
      for (const agent of agents) await agent.close();
    });
    const connect = async ({ port }: Gateway, headers: Record<string, string>): Promise<Agent> => {
      const agent = await Agent.connect(port, headers);
      agents.push(agent);
      return agent;
    };
    const called = async (agent: Agent, { tool, args }: Pair): Promise<unknown> => {
      const { isError, data } = await agent.call(tool, args);
      return [isError, masked(JSON.stringify(data))];
    };

    test('are most of the requests of the table', () => {
      expect(pairs.length).toBeGreaterThan(85);
      const tools = new Set(pairs.map(({ tool }) => tool));
      const reading = ['query', 'read', 'compute', 'distinct', 'aggregate'];
      expect([...tools]).toEqual([...reading, 'save', 'delete']);
    });

    describe('does not exist: a role is answered as by REST, and as if the files did not have it', () => {
      const users = withAgents(writing(withholding(where)), settings);
      let byRole: Gateway;
      let agent: Agent;
      let byFiles: Agent;
      beforeAll(async () => {
        byRole = await start(withClaims(users));
        agent = await connect(byRole, users.keyOf('clerk'));
        const { mcp } = withAgents({}, { mcp: { ...settings.mcp, write: true } }).settings;
        const withoutOthers = await startWithout(`ID in [${left.join()}]`, mcp && { mcp });
        byFiles = await connect(withoutOthers, {});
      });

      test.each(pairs)('$tool $args', async (pair) => {
        const { verb, url, body } = pair.rest;
        const { status, text } = await byRole.get(url, {
          ...{ method: verb, headers: users.keyOf('clerk') },
          ...(body === undefined ? {} : { body }),
        });
        const answered = await called(agent, pair);
        expect(answered).toEqual([status >= 400, masked(text)]);
        expect(answered).toEqual(await called(byFiles, pair));
      });

      test('in the description of the model', async () => {
        const described = async (one: Agent): Promise<unknown[]> => {
          const list = (await one.told('describe_model')) as { name: string }[];
          const names = list.map(({ name }) => name);
          const { resources } = await one.client.listResources();
          const { tools } = await one.client.listTools();
          return [
            ...[list, await one.told('describe_model', { dataclasses: names })],
            ...[resources, tools],
          ];
        };
        const told = await described(agent);
        expect(told).toEqual(await described(byFiles));
        expect(JSON.stringify(told)).not.toMatch(/creditLimit|directReports|Assignment|"source/);
        expect(await agent.told('describe_model', { dataclasses: ['Assignment'] })).toEqual([
          [1800, 'There is no dataclass Assignment.'],
        ]);
        await expect(
          agent.client.readResource({ uri: 'entitygate://dataclass/Assignment' }),
        ).rejects.toThrow('There is no resource entitygate://dataclass/Assignment.');
      });
    });

    describe('is refused where it is seen and may not be done', () => {
      const read = { read: true };
      const own = {
        ...read,
        create: 'city = $claims.city',
        update: 'ID IN $claims.ids',
        delete: 'ID IN $claims.ids',
      };
      const some = { '*': read, Company: own };
      const all = { read: true, create: true, update: true, delete: true };
      const users = withAgents(
        {
          some: { mcp: 'write', dataclasses: some },
          onlyReads: { dataclasses: { '*': all } },
          mayNothing: { mcp: 'write', dataclasses: { '*': read } },
        },
        settings,
      );
      let gateway: Gateway;
      beforeAll(async () => {
        gateway = await start(withClaims(users));
      });

      test.each([
        ['save', { values: { name: 'x', country: 'FR', registrationNo: 990_001 } }, 1559],
        ['save', { key: 2, stamp: 1, values: { name: 'x' } }, 1558],
        ['delete', { key: 2, stamp: 1 }, 1560],
      ] as const)('%s %j', async (tool, args, code) => {
        const agent = await connect(gateway, users.keyOf('some'));
        for (const dryRun of [true, false]) {
          const given = { dataclass: 'Company', ...args, dryRun };
          const { isError, data } = await agent.call(tool, given);
          expect([isError, errorsIn(data)[0]?.[0]]).toEqual([true, code]);
        }
        for (const role of ['onlyReads', 'mayNothing']) {
          const other = await connect(gateway, users.keyOf(role));
          await expect(other.call(tool, { dataclass: 'Company', ...args })).rejects.toThrow(
            `There is no tool ${tool}.`,
          );
        }
      });

      test('and what is allowed is tried', async () => {
        const agent = await connect(gateway, users.keyOf('some'));
        const { __STAMP: stamp } = (await agent.told('read', { dataclass: 'Company', key: 3 })) as {
          __STAMP: number;
        };
        const save = { dataclass: 'Company', key: 3, stamp, values: { name: 'Renamed' } };
        expect(await agent.told('save', save)).toMatchObject({ name: 'Renamed' });
      });
    });
  },
  targets,
);
