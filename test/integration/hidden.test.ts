import { unescape } from 'node:querystring';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFixedSeed, seed } from '../property/seed.ts';
import type { Answer, Gateway } from '../targets/gateway.ts';
import { query } from '../targets/sql.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import type { Verb } from '../../src/protocol/rest-request.ts';
import { parsed, rows } from '../rows.ts';
import { everyEndpoint } from './hidden/endpoints.ts';
import { colliding, drawn, reading, writing, type Guess } from './hidden/requests.ts';
import { admin, clerk, holding, lacking, unseen } from './hidden/twins.ts';
import { Agent } from './mcp/client.ts';
import { onEngines, serving, type Served } from './shapes/engines.ts';

/** How many times more requests are tried than there is time for in each run of the tests: `HIDDEN_TRIES=10`. */
const TIMES = Number(process.env['HIDDEN_TRIES'] ?? 1);

/** A client of a twin that has the role, and the ids of the sets that it knows. */
class Client {
  readonly #gateway: Gateway;
  readonly #sets: string[] = ['0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF'];
  #session: Readonly<Record<string, string>> = {};

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  async ask({ verb, path, body, headers = {} }: Guess): Promise<Answer> {
    const url = path.replace(/\{S(\d+)\}/g, (_, at: string) => {
      return this.#sets[Number(at) % this.#sets.length] ?? '';
    });
    const answer = await this.#gateway.get(`/rest/${url}`, {
      method: verb,
      headers: { ...clerk, ...this.#session, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const session = answer.headers['entitygate-session'];
    if (typeof session === 'string') this.#session = { 'entitygate-session': session };
    const [, made] = /^\{"__ENTITYSET":"[^"]*\/([0-9A-F]+)"/.exec(answer.text) ?? [];
    if (made !== undefined) this.know(made);
    return answer;
  }

  know(id: string): void {
    if (this.#sets.length < 20) this.#sets.push(id);
  }
}

/** What of an answer has to be the same; ids that are made, measured times, and what counts all changes of a database need not be. */
function told({ path }: Guess, { status, headers, text }: Answer): string {
  const { date, 'x-request-id': request, 'set-cookie': cookie, ...others } = headers;
  expect([date, request]).toEqual([expect.any(String), expect.any(String)]);
  // A catalog has the id of the gateway's start in it.
  const { etag, ...more } = others;
  const kept = {
    ...more,
    etag: path.startsWith('$catalog') ? '' : etag,
    isSessionOpened: cookie !== undefined,
  };
  return `${status} ${masked(text)} ${masked(JSON.stringify(kept))}`;
}

/** Whether a text has a name or a value that is hidden, or what is near to one. */
function namesHidden(text: string): boolean {
  return /tenan|sal\w?ry|secret|photo|details|boss?|reports|ledger|debtors|deput|yearly|\bver\b|owner_id|Ben|Bob|Zed|Union|(?:ben|bob|zed)@x|away|app\./i.test(
    // Keywords of the protocol, with names in them that mean nothing here.
    text.replace(
      /subentityset|\$reports|protocol\.Reports|readReports|"reports"|the reports of the report files/g,
      '',
    ),
  );
}

/** Where two answers part. */
function apart(own = '', twins = ''): object {
  let at = 0;
  while (own[at] === twins[at]) at++;
  const from = Math.max(0, at - 60);
  return { own: own.slice(from, at + 240), twins: twins.slice(from, at + 240) };
}

function masked(text: string): string {
  return text
    .replace(/\b[0-9A-F]{32,}\b/g, 'ID')
    .replace(/"__GlobalStamp":\d+/g, '"__GlobalStamp":0')
    .replace(/"time":[\d.e-]+/g, '"time":0')
    .replace(/"__TOKEN":"[^"]*"/g, '"__TOKEN":""')
    .replace(/"(?:expiration|expires|refreshed)":"[^"]*"/g, '"time":""')
    .replace(/"content-length":"\d+"/, '');
}

function twins(served: Served, twin: Served): void {
  let one: Client;
  let other: Client;
  const before: Record<string, unknown> = {};

  const hiddenNow = async (name: string): Promise<unknown> =>
    query(served.gateway.database, unseen[name] ?? '');

  /** Sends requests to both, and returns those that were not answered alike. */
  const differing = async (
    guesses: readonly Guess[],
    isAlike: (answers: readonly [Answer, Answer]) => boolean = () => false,
  ): Promise<unknown[]> => {
    const found = [];
    let done = 0;
    for (const guess of guesses) {
      const answers = [await one.ask(guess), await other.ask(guess)] as const;
      if (answers[0].status < 300) done++;
      const [own, twins] = answers.map((answer) => told(guess, answer));
      // Paths may have % signs that are no escapes.
      if (namesHidden(answers[0].text) && !namesHidden(unescape(JSON.stringify(guess)))) {
        found.push({ ...guess, own: own?.slice(0, 400) });
      }
      if (own !== twins && !isAlike(answers)) found.push({ ...guess, ...apart(own, twins) });
    }
    // Requests that all fail alike would prove nothing.
    if (isFixedSeed) expect(done).toBeGreaterThan(guesses.length / 20);
    return found.slice(0, 5);
  };

  // The stand-in has the locks of all databases in one place, where those of the twins meet.
  const isTried = ({ path }: Guess): boolean => !served.isBabelfish || !path.includes('$lock');

  const some = (make: () => Guess, count: number): Guess[] =>
    drawn(make, count * TIMES, seed).filter(isTried);

  beforeAll(async () => {
    one = new Client(served.gateway);
    other = new Client(twin.gateway);
    const asAdmin = { headers: admin };
    // Sets of somebody who sees everything.
    for (const path of ['Person', 'Note', 'Task', 'Note(1,3)', 'Person?$filter="id=1"']) {
      const url = `/rest/${path}${path.includes('?') ? '&' : '?'}$attributes=id&$method=entityset`;
      for (const [client, { gateway }] of [
        [one, served],
        [other, twin],
      ] as const) {
        const { __ENTITYSET: uri } = (await gateway.get(url, asAdmin)).body as {
          __ENTITYSET: string;
        };
        client.know(uri.replace(/^.*\//, ''));
      }
    }
    // What is hidden is locked all the time.
    for (const key of ['Person(2)', 'Note(2)', 'Country(5)', 'Note(6)']) {
      const { status } = await served.gateway.get(`/rest/${key}?$lock=true`, asAdmin);
      expect(status).toBe(200);
    }
    for (const name of Object.keys(unseen)) before[name] = await hiddenNow(name);
  });

  const read = (path: string): Guess => ({ verb: 'GET', path });

  test('is told by no error of what is calculated of it', async () => {
    // Zed is the one of whom the share cannot be calculated.
    const paths = ['share', 'mentored.share', 'mentor.share'].flatMap((share) => [
      `Person?$filter="email = 'zed@x' and ${share} > 0"`,
      `Person?$filter="${share} = null"&$top=0`,
      `Person?$orderby=${share}&$attributes=id`,
      `Person?$filter="${share} > 0"&$method=entityset`,
      `Person/${share}?$compute=$all`,
      `Person/${share}?$distinct=true`,
      `Country?$filter="people.${share} > 0"`,
    ]);
    expect(await differing(paths.map(read))).toEqual([]);
  });

  test('is told by no request of any kind', async () => {
    const asked = everyEndpoint.filter(({ kind }) => kind !== 'info' && kind !== 'directory');
    expect(await differing(asked.filter(isTried))).toEqual([]);
  });

  test('and nothing is told to those who do not say who they are', async () => {
    const message = 'Authentication required: send your key in the header api-key.';
    const refused = { __ERROR: [{ message, componentSignature: 'dbmg', errCode: 1822 }] };
    for (const { verb, path, body } of everyEndpoint) {
      const sent = { method: verb, ...(body === undefined ? {} : { body }) };
      const answer = await served.gateway.get(`/rest/${path}`, sent);
      const isLogin = path.startsWith('$directory/login');
      const own = isLogin ? { result: false } : verb === 'HEAD' ? undefined : refused;
      const expected = path.endsWith('/currentUser')
        ? [200, { result: null, logins: ['apiKey'] }]
        : [401, own];
      expect([path, answer.status, answer.body]).toEqual([path, ...expected]);
    }
  });

  describe('is told to no agent', () => {
    const agents: Agent[] = [];
    beforeAll(async () => {
      for (const { gateway } of [served, twin]) {
        agents.push(await Agent.connect(gateway.port, clerk));
      }
    });
    afterAll(async () => {
      for (const agent of agents) await agent.close();
    });

    // Agents do not read where in a URL an error is.
    const withoutPlace = (text: string): unknown =>
      JSON.parse(masked(text).replace(/ \(at position \d+ of [^)]*\)/g, ''));

    test.each(rows`
      query     | {dataclass: Person, filter: salary > 0, top: 100, skip: 0} | Person?$filter="salary > 0"
      query     | {dataclass: Task, order: 'owner.name desc,id', attributes: [id, owner.name], top: 100, skip: 0}
        | Task?$orderby="owner.name desc,id"&$attributes=id,owner.name
      read      | {dataclass: Person, key: 2}                             | Person(2)
      read      | {dataclass: Ledger, key: 1}                             | Ledger(1)
      compute   | {dataclass: Person, attribute: id, function: all}       | Person?$attributes=id&$compute=$all
      distinct  | {dataclass: Country, attribute: tenant, top: 100}       | Country?$attributes=tenant&$distinct=true&$top=100
      aggregate | {dataclass: Person, groups: [salary], top: 100}         | Person?$groupby=salary&$top=100
      save      | {dataclass: Person, key: 2, stamp: 1, values: {name: x}}
        | Person?$method=update&$refresh=true | {__KEY: 2, __STAMP: 1, name: x}
      delete    | {dataclass: Ledger, key: 1, stamp: 1} | Ledger?$method=delete&$refresh=true | {__KEY: 1, __STAMP: 1}
    `)('%s %s', async (tool, args, path, sent = '') => {
      const body = sent === '' ? {} : { verb: 'POST', body: JSON.stringify(parsed(sent)) };
      const { status, text } = await one.ask({ verb: 'GET', path, ...body });
      const answered = [];
      for (const agent of agents) {
        const { isError, data } = await agent.call(tool, parsed(args));
        answered.push([isError, withoutPlace(JSON.stringify(data))]);
      }
      const byRest = [status >= 400, withoutPlace(text)];
      expect(answered).toEqual([byRest, byRest]);
    });

    test('in the description of the model', async () => {
      const described = async (agent: Agent | undefined): Promise<unknown[]> => {
        if (agent === undefined) throw new Error('there is no agent');
        const list = (await agent.told('describe_model')) as { name: string }[];
        const dataclasses = list.map(({ name }) => name);
        const { resources } = await agent.client.listResources();
        const { tools } = await agent.client.listTools();
        const uri = 'entitygate://dataclass/Ledger';
        await expect(agent.client.readResource({ uri })).rejects.toThrow(
          `There is no resource ${uri}.`,
        );
        expect(await agent.told('describe_model', { dataclasses: ['Ledger'] })).toEqual([
          [
            1800,
            'There is no dataclass Ledger. Known: Country, Draft, Member, Note, Person, Task.',
          ],
        ]);
        return [list, await agent.told('describe_model', { dataclasses }), resources, tools];
      };
      const told = await described(agents[0]);
      expect(told).toEqual(await described(agents[1]));
      expect(namesHidden(JSON.stringify(told))).toBe(false);
    });
  });

  test(`is told by no read (seed ${seed})`, async () => {
    expect(await differing(some(reading, 100))).toEqual([]);
  });

  test(`is told by no dry run, but that a value is taken (seed ${seed})`, async () => {
    const taken = (answers: readonly [Answer, Answer]): boolean => {
      const [{ status, text }] = answers;
      return (
        status === 409 &&
        /^\{"__STATUS":\{"success":false\},(?:"__KEY":"[^"]*",)?"__ERROR":\[\{"message":"(?:There is an entity of \w+ with this key already\.|\w+\.\w+(?:, \w+\.\w+)* has to be unique, and another entity has this value already\.)","componentSignature":"dbmg","errCode":1115\}/.test(
          text,
        )
      );
    };
    expect(await differing(some(colliding, 30), taken)).toEqual([]);
  });

  test(`is told by no write, nor changed by one (seed ${seed})`, async () => {
    expect(await differing(some(writing, 80))).toEqual([]);
    for (const name of Object.keys(unseen)) expect(await hiddenNow(name)).toEqual(before[name]);
  });

  test('is not named by what a rule of the database refuses', async () => {
    const person =
      "INSERT INTO app.person (id, email, name, grade, salary) VALUES (300, 'kay@x', 'Kay', 1, 900)";
    await served.run(person);
    await served.run('INSERT INTO app.ledger VALUES (300, 300, 1)');
    const refused = async (guess: Guess): Promise<unknown> => {
      const { status, body } = await one.ask(guess);
      const { __ERROR: errors = [] } = body as { __ERROR?: { errCode: number; message: string }[] };
      return [status, ...errors.map(({ errCode, message }) => `${errCode} ${message}`)];
    };
    const save = (grade: number): Guess => ({
      verb: 'POST',
      path: 'Person',
      body: JSON.stringify({ __KEY: 300, grade }),
    });
    expect(await refused({ verb: 'DELETE', path: 'Person(300)' })).toEqual([
      409,
      '1120 The entity of Person is still referred to by others.',
      '1518 Person(300) was not deleted.',
    ]);
    expect(await refused(save(77))).toEqual([
      409,
      '9015 Person.grade breaks a rule that the database sets for it.',
      '1517 Person(300) was not saved.',
    ]);
  });
}

test.each(everyEndpoint)('$kind: $verb $path is what it says it is', ({ kind, verb, path }) => {
  expect(parseRequest(`/rest/${path}`, verb as Verb).ast.kind).toBe(kind);
});

describe('what a role may not see', () => {
  onEngines('hidden rows, cells and names', holding, (served) => {
    twins(served, serving(served.engine, lacking));
  });
});
