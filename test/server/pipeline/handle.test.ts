import { once } from 'node:events';
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
}

/** What a database answers to a statement. */
type Answering = (text: string) => Promise<readonly Row[]>;

function handling(answering: Answering = nothingStored, plans = new PlanCache(10)): Handling {
  const heard: string[] = [];
  const named: NamedRequest[] = [];
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
        dialect,
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
    audiences: new Audiences(model, null, dialect.limits),
    agents: {
      audiences: new Audiences(model, null, dialect.limits, { mayWrite: false }),
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
    openApiDocuments: byteCache<{ readonly text: Text }>(1_000_000, () => 1),
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
    writeStatements: new WriteStatements(sampleSettings, dialect, 1_000_000),
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

test('an observer hears what a request is about, its stages in their order, and fewer when its shape is known', async () => {
  const { ask, heard, named } = handling();
  const known = ['admit', 'request', 'execute', 'respond'];
  await ask({ url: '/rest/Country?$filter=name=secret' });
  expect(heard()).toEqual(['admit', 'request', 'plan', 'sql', 'respond', 'execute', 'respond']);
  await ask({ url: '/rest/Country?$filter=name=b' });
  expect(heard()).toEqual(known);
  await ask(update);
  const first = ['admit', 'request', 'body', 'plan', 'sql', 'respond', 'values'];
  expect(heard()).toEqual([...first, 'execute', 'respond']);
  await ask({ url: '/rest/$catalog' });
  expect(heard()).toEqual(['admit', 'request', 'respond']);
  expect(
    named.map(({ operation, dataclass, describe }) => [operation, dataclass, describe?.()]),
  ).toEqual([
    ['read', 'Country', '{"item":"Country.name = ?"}'],
    ['read', 'Country', '{"item":"Country.name = ?"}'],
    ['save', 'Country', null],
    ['catalog', null, null],
  ]);
});

test('a filter that may be read otherwise is warned of where it is planned, and right', async () => {
  const { ask, heard } = handling();
  const warnings = (): string[] => heard().filter((text) => text.startsWith('A $filter'));
  await ask({ url: '/rest/Country?$filter=name=a OR name=b AND code=c' });
  expect(warnings()).toEqual([
    'A $filter for Country joins AND and OR without parentheses. It is read from left to right, as: (name = ? OR name = ?) AND code = ?. Parentheses make it say what is meant.',
  ]);
  await ask({ url: '/rest/Country?$filter=name=x OR name=y AND code=z' });
  const unknown = ask({ url: '/rest/Country?$filter=secret=a OR name=b AND code=c' });
  await expect(unknown).rejects.toThrow('secret');
  expect(warnings()).toEqual([]);
});

test('what went wrong with elements that is not the fault of theirs is told of once', async () => {
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

describe('a client that has gone', () => {
  test.each([
    ['read', {}],
    ['save', update],
  ])('during a statement of a %s: nothing else is begun', async (_title, request) => {
    const leaving = new AbortController();
    const texts: string[] = [];
    const { ask } = handling(async (text) => {
      texts.push(text);
      setImmediate(() => leaving.abort(new Error('hung up')));
      await once(leaving.signal, 'abort');
      return [];
    });
    await expect(ask({ ...request, signal: leaving.signal })).rejects.toThrow('hung up');
    expect(texts).toHaveLength(1);
  });

  test('before anything was done', async () => {
    const { ask, heard } = handling();
    const signal = AbortSignal.abort(new Error('hung up'));
    await expect(ask({ signal })).rejects.toThrow('hung up');
    expect(heard()).toEqual([]);
  });
});

describe('plans are kept', () => {
  /** Reads of shapes that nobody else has. */
  async function askShapes({ ask }: Handling, count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const filter = Array.from({ length: index + 1 }, () => 'name=a').join(' OR ');
      await ask({ url: `/rest/Country?$filter=${encodeURIComponent(filter)}` });
    }
  }

  test('up to a number, the last ones', async () => {
    const plans = new PlanCache(3);
    await askShapes(handling(nothingStored, plans), 10);
    await askShapes(handling(nothingStored, plans), 1);
    expect(plans.stats).toMatchObject({ entries: 3, hits: 0, misses: 11, evictions: 8 });
  });

  test('up to a size, of all kinds of requests together, and none that is larger alone', async () => {
    const plans = new PlanCache(1000, undefined, 200_000);
    const gateway = handling(nothingStored, plans);
    await askShapes(gateway, 30);
    await gateway.ask(update);
    const { entries, bytes } = plans.stats;
    expect([entries > 1, entries < 30, bytes <= 200_000]).toEqual([true, true, true]);
    const none = new PlanCache(1000, undefined, 1);
    await askShapes(handling(nothingStored, none), 3);
    expect(none.stats).toEqual({ entries: 0, bytes: 0, hits: 0, misses: 3, evictions: 0 });
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
