import { once } from 'node:events';
import { Readable } from 'node:stream';
import { MemoryEntitySets } from '../../../src/state/entity-set/memory-entity-sets.ts';
import { SetIds } from '../../../src/state/entity-set/store.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { Audiences } from '../../../src/access/roles/audiences.ts';
import { unasked } from '../../../src/access/auth/authentication.ts';
import { byteCache } from '../../../src/base/collections.ts';
import { ProtocolError } from '../../../src/base/errors.ts';
import type { Connection, Row } from '../../../src/database/database.ts';
import { MemorySessions } from '../../../src/state/session/memory-sessions.ts';
import { WriteStatements } from '../../../src/run/save/rows/write-statements.ts';
import { ImageConverter } from '../../../src/answer/image/converter.ts';
import type { Model } from '../../../src/model/types.ts';
import type { NamedRequest, RequestObserver } from '../../../src/base/observe/observer.ts';
import type { Text } from '../../../src/base/text.ts';
import type { RestRequest } from '../../../src/protocol/rest-request.ts';
import type { Answer } from '../../../src/answer/answer.ts';
import { NO_ORIGINS } from '../../../src/server/http/admission.ts';
import { createHandler } from '../../../src/server/rest.ts';
import { batchingDatabase } from '../../../src/database/batching-database.ts';
import { Semaphore } from '../../../src/database/pool.ts';
import { ChangesHub } from '../../../src/server/changes/changes-hub.ts';
import { PlanCache } from '../../../src/server/pipeline/operation.ts';
import { Uploads } from '../../../src/state/upload/uploads.ts';
import { readSnapshot, sampleModel, sampleSettings } from '../../fixtures/legacy/model.ts';
import { postgres as dialect } from '../../fixtures/dialects.ts';

const documents = byteCache<{ readonly text: Text }>(1_000_000, () => 1);

let model: Model;
beforeAll(async () => {
  model = await sampleModel(readSnapshot('postgres'));
});

/** A handler in front of a database that answers by a function, and what an observer hears of each request. */
interface Handling {
  readonly ask: (request: Partial<RestRequest>) => Promise<Answer>;
  /** What was heard since the last call. */
  readonly heard: () => string[];
  /** What requests were said to be about. */
  readonly named: readonly NamedRequest[];
  /** How many statements were printed since the last call. */
  readonly printed: () => number;
}

/** What a database answers to a statement. */
type Answering = (text: string) => Promise<readonly Row[]>;

function handling(
  answering: Answering = nothingStored,
  plans = new PlanCache(10),
  served = model,
): Handling {
  const heard: string[] = [];
  const named: NamedRequest[] = [];
  let printed = 0;
  const counting = {
    ...dialect,
    print: (query: Parameters<typeof dialect.print>[0]) => {
      printed += 1;
      return dialect.print(query);
    },
  };
  // As on every connection, nothing is begun for whom nobody waits.
  const run: Connection['run'] = async ({ statement }, { signal }) => {
    signal.throwIfAborted();
    const rows = await answering(statement.text);
    signal.throwIfAborted();
    return { columns: [], rows };
  };
  const unused = (): never => {
    throw new Error('not used');
  };
  const { admit, handle } = createHandler({
    outdated: new Map(),
    reports: [],
    unauthenticatedHosts: null,
    database: batchingDatabase(
      {
        run,
        dialect: counting,
        version: '',
        advice: [],
        stream: async function* (command, options) {
          yield (await run(command, options)).rows;
        },
        call: unused,
        dedicated: unused,
        transaction: (work) => work({ run, call: unused }),
        pool: () => ({ size: 2, used: 0, waiting: 0 }),
        introspect: unused,
        ping: unused,
        close: unused,
      },
      () => '',
    ),
    audiences: new Audiences(served, null, counting.limits),
    agents: {
      audiences: new Audiences(served, null, counting.limits, { mayWrite: false }),
      settings: {
        enabled: false,
        tools: [],
        write: false,
        maxRequestBytes: 262_144,
        maxAnswerBytes: 4096,
      },
    },
    authentication: unasked,
    clock: performance,
    crossOrigins: NO_ORIGINS,
    changes: new ChangesHub({ pollSeconds: 1, maxStreams: 1, onError: unused }),
    sessionContextText: () => '',
    catalog: { application: 'Test', uniqueId: 'ID', logins: [] },
    contract: {
      ...{
        application: 'Test',
        authentication: undefined,
        bigNumbersAsStrings: false,
        locks: true,
      },
      sessions: { timeoutSeconds: 60, max: 1, cookie: 'SID', header: 'sid' },
      server: { createdStatus: 200 },
    },
    openApiDocuments: documents,
    settings: {
      ...sampleSettings,
      sessions: { timeoutSeconds: 60 },
      queryPlans: 'api',
      compatibility: { deleteByGet: false },
      server: { createdStatus: 200, hosts: [] },
    },
    sessions: new MemorySessions({ timeoutSeconds: 60, max: 1 }, () => undefined),
    sessionNames: { cookie: 'SID', header: 'sid' },
    locks: null,
    uploads: new Uploads(1000),
    entitySets: new MemoryEntitySets(
      { maxBytes: 2 ** 20, maxSetBytes: 2 ** 20, maxPerOwner: 10 },
      new SetIds(''),
    ),
    images: new ImageConverter(
      { maxPixels: 1, maxBytes: 1, timeoutSeconds: 1, concurrency: 1 },
      unused,
    ),
    pages: new Semaphore(2),
    plans,
    reload: unused,
    writeStatements: new WriteStatements(sampleSettings, counting, 1_000_000),
  });
  const observer: RequestObserver = {
    requestNamed: (request) => named.push(request),
    stageDone: (stage) => heard.push(stage),
    statementRun: ({ text }) => heard.push(text),
    poolWaited: () => heard.push('wait'),
    errorMet: ({ message }) => heard.push(message),
    warned: (warning) => heard.push(warning),
    writes: null,
  };
  return {
    ask: async (request) => {
      const { signal } = new AbortController();
      const whole: RestRequest = {
        verb: 'GET',
        url: '/rest/Country',
        headers: {},
        body: null,
        address: '127.0.0.1',
        host: 'localhost',
        isSecure: false,
        signal,
        ...request,
      };
      const caller = await admit(whole, { signal: whole.signal, observer });
      return handle(whole, caller, observer);
    },
    heard: () => heard.splice(0),
    named,
    printed: () => {
      const count = printed;
      printed = 0;
      return count;
    },
  };
}

/** No table has a row; what is asked for without one is the global stamp. */
const nothingStored: Answering = (text) => Promise.resolve(text.includes('FROM') ? [] : [['7']]);

/** An update of an entity that is not there. */
const update = {
  verb: 'POST',
  url: '/rest/Country',
  body: Buffer.from('[{"__KEY":"FR","__STAMP":1,"name":"France"}]'),
} as const;

describe('an observer hears the stages of a request in their order', () => {
  test('of a read, and fewer when its shape is known', async () => {
    const { ask, heard } = handling();
    await ask({ url: '/rest/Country?$filter=name=a' });
    expect(heard()).toEqual(['admit', 'request', 'plan', 'sql', 'respond', 'execute', 'respond']);
    await ask({ url: '/rest/Country?$filter=name=b' });
    expect(heard()).toEqual(['admit', 'request', 'execute', 'respond']);
  });

  test('and a warning of a filter that is planned, where it may be read otherwise', async () => {
    const { ask, heard } = handling();
    await ask({ url: '/rest/Country?$filter=name=a OR name=b AND code=c' });
    expect(heard()).toEqual([
      ...['admit', 'request', 'plan', 'sql'],
      'A $filter for Country joins AND and OR without parentheses. It is read from left to right, as: (name = ? OR name = ?) AND code = ?. Parentheses make it say what is meant.',
      ...['respond', 'execute', 'respond'],
    ]);
    await ask({ url: '/rest/Country?$filter=name=x OR name=y AND code=z' });
    expect(heard()).toEqual(['admit', 'request', 'execute', 'respond']);
    const unknown = ask({ url: '/rest/Country?$filter=secret=a OR name=b AND code=c' });
    await expect(unknown).rejects.toThrow('secret');
    expect(heard()).toEqual(['admit', 'request', 'plan']);
  });

  test('of a save', async () => {
    const { ask, heard } = handling();
    await ask(update);
    const first = [
      ...['admit', 'request', 'body', 'plan', 'sql', 'respond', 'values', 'execute', 'respond'],
    ];
    expect(heard()).toEqual(first);
    await ask(update);
    expect(heard()).toEqual(['admit', 'request', 'body', 'values', 'execute', 'respond']);
  });

  test('of deletes', async () => {
    const { ask, heard } = handling();
    await ask({ ...update, verb: 'DELETE' });
    const byKeys = ['admit', 'request', 'body', 'plan', 'values', 'execute', 'respond'];
    expect(heard()).toEqual(byKeys);
    await ask({ verb: 'DELETE', url: '/rest/Country?$filter=name=a' });
    const byFilter = ['admit', 'request', 'body', 'plan', 'sql', 'values', 'execute', 'respond'];
    expect(heard()).toEqual(byFilter);
  });

  test('of the catalog', async () => {
    const { ask, heard } = handling();
    await ask({ url: '/rest/$catalog' });
    expect(heard()).toEqual(['admit', 'request', 'respond']);
  });

  test('of what fails, up to where it does', async () => {
    const { ask, heard } = handling(() =>
      Promise.reject(new ProtocolError('databaseUnavailable', 'Away.')),
    );
    await expect(ask({ url: '/rest/Country?$top=x' })).rejects.toThrow('whole number');
    expect(heard()).toEqual(['admit', 'request']);
    await expect(ask({ url: '/rest/Countries' })).rejects.toThrow('Countries');
    expect(heard()).toEqual(['admit', 'request', 'plan']);
    await expect(ask({})).rejects.toThrow('Away.');
    expect(heard()).toEqual(['admit', 'request', 'plan', 'sql', 'respond', 'execute']);
  });

  test('and once what went wrong with elements that is not the fault of theirs', async () => {
    const elements = ['FR', 'DE', 'IT'].map((key) => ({ __KEY: key, __STAMP: 1, name: 'a' }));
    let refusals = 4;
    const { ask, heard } = handling((text) => {
      refusals -= 1;
      return refusals < 0
        ? nothingStored(text)
        : Promise.reject(new ProtocolError('refusedByDatabase', 'Out of disk.'));
    });
    const answer = await ask({ ...update, body: Buffer.from(JSON.stringify(elements)) });
    expect((answer.body as string).match(/Out of disk/g)).toHaveLength(2);
    expect(heard().slice(-3)).toEqual(['execute', 'Out of disk.', 'respond']);
  });
});

describe('an upload', () => {
  const upload = {
    verb: 'POST',
    url: '/rest/$upload?$binary=true',
    body: Buffer.from('a'),
  } as const;

  test('is kept for a save', async () => {
    expect((await handling().ask(upload)).body).toMatch(/^\{"ID":"/);
  });

  test('is refused where every dataclass is read only, as no save could refer to it', async () => {
    const dataclasses = new Map(
      [...model.dataclasses].map(([name, one]) => [name, { ...one, readOnly: '' }]),
    );
    const { ask } = handling(nothingStored, new PlanCache(10), { ...model, dataclasses });
    await expect(ask(upload)).rejects.toMatchObject({
      errorName: 'mayNotUpdate',
      message: 'You may not update anything that takes an upload.',
    });
  });
});

describe('a client that has gone', () => {
  test.each([
    ['read', {}, ['admit', 'request', 'plan', 'sql', 'respond', 'execute']],
    ['save', update, ['admit', 'request', 'body', 'plan', 'sql', 'respond', 'values', 'execute']],
  ])('during a statement of a %s: nothing else is begun', async (_title, request, stages) => {
    const leaving = new AbortController();
    const texts: string[] = [];
    const { ask, heard } = handling(async (text) => {
      texts.push(text);
      setImmediate(() => leaving.abort(new Error('hung up')));
      await once(leaving.signal, 'abort');
      return [];
    });
    await expect(ask({ ...request, signal: leaving.signal })).rejects.toThrow('hung up');
    expect(texts).toHaveLength(1);
    expect(heard()).toEqual(stages);
  });

  test('before anything was done', async () => {
    const { ask, heard } = handling();
    const signal = AbortSignal.abort(new Error('hung up'));
    await expect(ask({ signal })).rejects.toThrow('hung up');
    expect(heard()).toEqual([]);
  });
});

describe('what is kept', () => {
  /** Reads of shapes that nobody else has. */
  async function askShapes({ ask }: Handling, count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const filter = Array.from({ length: index + 1 }, () => 'name=a').join(' OR ');
      await ask({ url: `/rest/Country?$filter=${encodeURIComponent(filter)}` });
    }
  }

  test('are plans up to a number', async () => {
    const plans = new PlanCache(3);
    await askShapes(handling(nothingStored, plans), 10);
    await askShapes(handling(nothingStored, plans), 1);
    expect(plans.stats).toMatchObject({ entries: 3, hits: 0, misses: 11, evictions: 8 });
    await askShapes(handling(nothingStored, plans), 1);
    expect(plans.stats).toMatchObject({ entries: 3, hits: 1, misses: 11, evictions: 8 });
  });

  test('and up to a size, of all kinds of requests together', async () => {
    const plans = new PlanCache(1000, undefined, 200_000);
    const gateway = handling(nothingStored, plans);
    await askShapes(gateway, 30);
    const { entries } = plans.stats;
    expect(entries).toBeGreaterThan(1);
    expect(entries).toBeLessThan(30);
    await gateway.ask(update);
    expect(plans.stats.bytes).toBeLessThanOrEqual(200_000);
  });

  test('but no plan that is larger than all of them may be', async () => {
    const plans = new PlanCache(1000, undefined, 1);
    await askShapes(handling(nothingStored, plans), 3);
    expect(plans.stats).toEqual({ entries: 0, bytes: 0, hits: 0, misses: 3, evictions: 0 });
  });

  test('are OpenAPI documents, each for those who see the same', async () => {
    const { ask } = handling();
    documents.clear();
    const { headers } = await ask({ url: '/rest/$openapi' });
    expect([...documents.keys()]).toEqual(['']);
    expect((await ask({ url: '/rest/$openapi' })).headers).toEqual(headers);
    documents.set('', { text: '"kept"' });
    expect((await ask({ url: '/rest/$openapi' })).body).toBe('"kept"');
  });

  test('are the statements of a dataclass, whatever the URL', async () => {
    const { ask, printed } = handling();
    await ask(update);
    // What reads the row as it is, and the entity again.
    expect(printed()).toBe(2);
    await ask({ ...update, url: '/rest/Country?$attributes=name' });
    expect(printed()).toBe(1);
    await ask(update);
    expect(printed()).toBe(0);
  });
});

describe('the length of a collection', () => {
  /** Answers pages of one row, and counts. */
  const counted =
    (texts: string[], length: string): Answering =>
    async (text) => {
      texts.push(text.startsWith('SELECT COUNT(*)') ? 'count' : 'page');
      await new Promise(setImmediate);
      return [text.startsWith('SELECT COUNT(*)') ? [length] : Array<string>(8).fill('7')];
    };
  const page = { url: '/rest/Country?$attributes=name&$top=1' };

  test('is counted once for all pages that were asked for before, whenever they have their turn', async () => {
    const texts: string[] = [];
    const { ask } = handling(counted(texts, '9'));
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(page)));
    expect(answers.map(({ body }) => JSON.parse(body as string) as unknown)).toMatchObject(
      Array.from({ length: 6 }, () => ({ __COUNT: 9, __SENT: 1 })),
    );
    expect(texts.filter((text) => text === 'count')).toHaveLength(1);
    await ask(page);
    // It is known now that the page will need it.
    expect(texts.slice(-2)).toEqual(['count', 'page']);
  });

  test('is no less than what a page shows, which may have been read behind it', async () => {
    const { ask } = handling(counted([], '2'));
    const { body } = await ask({ url: `${page.url}&$skip=4` });
    expect(JSON.parse(body as string)).toMatchObject({ __COUNT: 5, __FIRST: 4, __SENT: 1 });
  });
});

test('an export that fails when it has begun is broken off, and why is told', async () => {
  const slice = Array.from({ length: 500 }, (_, id) => [String(id), '1', '1']);
  const answers: (() => readonly Row[])[] = [
    () => slice,
    () => {
      throw new ProtocolError('databaseUnavailable', 'the database has gone');
    },
  ];
  const { ask, heard } = handling((text) => {
    const answer = text.includes('FROM') ? answers.shift() : undefined;
    return answer === undefined ? nothingStored(text) : Promise.resolve().then(answer);
  });
  const { status, body } = await ask({ url: '/rest/Employee?$format=csv&$attributes=ID' });
  if (!(body instanceof Readable)) throw new Error('it is not read as it is sent');
  heard();
  const received: string[] = [];
  await expect(
    (async () => {
      for await (const chunk of body) received.push(String(chunk));
    })(),
  ).rejects.toThrow('the database has gone');
  const sent = ['ID', ...slice.map(([id]) => id), ''].join('\r\n');
  expect([status, received.join('')]).toEqual([200, sent]);
  expect(heard()).toContain('the database has gone');
  expect(answers).toEqual([]);
});

describe('what an observer is told of a request', () => {
  test('is its kind, its dataclass and its query without values', async () => {
    const { ask, named } = handling();
    await ask({ url: `/rest/Country?$filter=${encodeURIComponent('name=Atlantis OR name=b')}` });
    await ask(update);
    expect(named.map(({ operation, dataclass }) => ({ operation, dataclass }))).toEqual([
      { operation: 'read', dataclass: 'Country' },
      { operation: 'save', dataclass: 'Country' },
    ]);
    expect(named.map(({ describe: told }) => told?.())).toEqual([
      '{"Or":[{"item":"Country.name = ?"},{"item":"Country.name = ?"}]}',
      null,
    ]);
  });
});
