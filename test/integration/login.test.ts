import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configSchema } from '../../src/config/config.ts';
import { hashPassword, passwordHashText } from '../../src/access/auth/password-hash.ts';
import { testFolder, type TestFolder } from '../config/files.ts';
import { startGateway, type Answer, type Gateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import type { OpenTarget } from '../targets/target.ts';
import { ManualClock } from './sets.ts';

const PASSWORD = 'geheimwort';

let opened: OpenTarget;
let folder: TestFolder;
let gateway: Gateway;
let users: (disabled: boolean) => string;
const clock = new ManualClock();

beforeAll(async () => {
  opened = await pgliteTarget.open();
  folder = await testFolder();
  const hash = passwordHashText(await hashPassword(PASSWORD));
  users = (disabled) =>
    `users:\n  ada: { password: '${hash}', roles: [sales], disabled: ${disabled} }\n` +
    `  bob: { password: '${hash}', roles: [sales] }\n  root: { password: '${hash}', roles: [admin] }\n`;
  const path = await folder.write('users.yaml', users(false));
  const { authentication, roles } = configSchema.parse({
    authentication: { anonymous: ['guest'], users: path },
    roles: {
      guest: { dataclasses: { Country: { read: true } } },
      sales: { dataclasses: { '*': { read: true }, Company: { read: true, update: true } } },
    },
  });
  gateway = await startGateway(
    opened.database,
    {
      ...(authentication === undefined ? {} : { authentication }),
      ...(roles === undefined ? {} : { roles }),
    },
    undefined,
    clock,
  );
});
afterAll(async () => {
  await gateway.close();
  await opened.close();
  await folder.remove();
});

function logIn(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return gateway.get('/rest/$directory/login', {
    method: 'POST',
    headers,
    ...(body === null ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** The cookie that an answer sets, as a browser sends it back. */
function cookieOf({ headers }: Answer): { cookie: string } {
  const [cookie = ''] = headers['set-cookie'] ?? [];
  return { cookie: cookie.split(';', 1)[0] ?? '' };
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  gateway.get(`/rest/${path}`, { headers });

const countOf = async (headers: Record<string, string>): Promise<number> =>
  (await get('Company?$top=0', headers)).status;

describe('a login', () => {
  test.each([
    ['an array', ['ada', PASSWORD], {}],
    ['an object', { user: 'ada', password: PASSWORD }, {}],
    ['headers alone', null, { 'username-4D': 'ada', 'password-4D': PASSWORD }],
    ['headers with an empty object', {}, { 'username-4D': 'ada', 'password-4D': PASSWORD }],
    [
      'headers with a form',
      '--x--',
      {
        'username-4D': 'ada',
        'password-4D': PASSWORD,
        'content-type': 'multipart/form-data; boundary=x',
      },
    ],
    [
      'a form that holds JSON',
      '["ada","geheimwort"]',
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
  ])('by %s opens a session, which says who it is', async (_, body, headers) => {
    const answer = await logIn(body, headers);
    expect([answer.status, answer.body]).toEqual([200, { result: true }]);
    const cookie = cookieOf(answer);
    const [set = ''] = answer.headers['set-cookie'] ?? [];
    expect(set).toMatch(/^ENTITYGATE_SID=[0-9A-F]{32}; Path=\/; HttpOnly; SameSite=Lax$/);
    const user = { userName: 'ada', fullName: 'ada', ID: 'ada', roles: ['sales'] };
    expect((await get('$directory/currentUser', cookie)).body).toEqual({ result: user });
    const id = answer.headers['entitygate-session'] as string;
    expect((await get('$directory/currentUser', { 'Entitygate-Session': id })).body).toEqual({
      result: user,
    });
    expect(await countOf(cookie)).toBe(200);
  });

  test.each([
    ['a wrong password', ['ada', 'x'], 401],
    ['a user that there is not', ['eve', PASSWORD], 401],
    ['nothing', null, 400],
    ['half of it', ['ada'], 400],
    ['what is not text', { user: 'ada', password: 1 }, 400],
    ['what is not JSON', '{', 400],
  ])('by %s opens none', async (_, body, status) => {
    const answer = await logIn(body);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined]);
    if (status === 401) expect(answer.body).toEqual({ result: false });
    else expect(answer.body).toMatchObject({ __ERROR: [{ errCode: 9016 }] });
  });

  test('that says twice who it is is refused, and so are headers that are there twice', async () => {
    const both = await logIn(['ada', PASSWORD], { 'username-4D': 'bob', 'password-4D': 'x' });
    expect([both.status, both.body]).toMatchObject([400, { __ERROR: [{ errCode: 9016 }] }]);
  });

  test('gives a new id, and the session that was there before is over', async () => {
    const first = cookieOf(await logIn(['ada', PASSWORD]));
    const second = cookieOf(await logIn(['ada', PASSWORD], first));
    expect(second).not.toEqual(first);
    expect((await get('Company', first)).status).toBe(401);
    expect(await countOf(second)).toBe(200);
  });

  test('lives as long as it asks for, and no longer than the configuration says', async () => {
    const short = cookieOf(await logIn(['ada', PASSWORD], { 'session-4D-length': '2' }));
    const long = cookieOf(await logIn(['ada', PASSWORD], { 'session-4D-length': '100000' }));
    clock.forward(100);
    expect(await countOf(short)).toBe(200);
    clock.forward(121);
    expect((await get('Company', short)).status).toBe(401);
    expect(await countOf(long)).toBe(200);
    clock.forward(3601);
    expect((await get('Company', long)).status).toBe(401);
    const answer = await logIn(['ada', PASSWORD], { 'session-4D-length': 'long' });
    expect([answer.status, answer.body]).toMatchObject([400, { __ERROR: [{ errCode: 9007 }] }]);
  });

  test('lives as many seconds as the third element of its body says, and no longer than the configuration', async () => {
    const short = cookieOf(await logIn(['ada', PASSWORD, 120]));
    const long = cookieOf(await logIn(['ada', PASSWORD, 31_536_000]));
    const unsaid = cookieOf(await logIn(['ada', PASSWORD, null]));
    clock.forward(100);
    expect(await countOf(short)).toBe(200);
    clock.forward(121);
    expect((await get('Company', short)).status).toBe(401);
    expect([await countOf(long), await countOf(unsaid)]).toEqual([200, 200]);
    clock.forward(3601);
    expect((await get('Company', long)).status).toBe(401);
    expect((await get('Company', unsaid)).status).toBe(401);
    for (const seconds of [0, -5, 'long', true]) {
      const answer = await logIn(['ada', PASSWORD, seconds]);
      expect([answer.status, answer.body]).toMatchObject([400, { __ERROR: [{ errCode: 9016 }] }]);
    }
  });

  test('by a hashed password is told what cannot be done, and why', async () => {
    const answer = await logIn(null, { 'username-4D': 'ada', 'hashed-password-4D': 'abc' });
    expect([answer.status, answer.body]).toEqual([
      501,
      {
        __ERROR: [
          {
            message:
              'hashed-password-4D is not supported: the gateway stores salted scrypt hashes and needs the password itself. Send password-4D over TLS.',
            componentSignature: 'dbmg',
            errCode: 9001,
          },
        ],
      },
    ]);
  });

  test('tells its user, and the groups that they belong to', async () => {
    const ada = cookieOf(await logIn(['ada', PASSWORD]));
    const user = { ID: 'ada', userName: 'ada', fullName: 'ada', roles: ['sales'] };
    expect((await get('$directory/currentUser', ada)).body).toEqual({ result: user });
    const belongs = async (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      gateway.get('/rest/$directory/currentUserBelongsTo', {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
    expect((await belongs(['sales'], ada)).body).toEqual({ result: true });
    expect((await belongs(['admin'], ada)).body).toEqual({ result: false });
    expect((await belongs(['guest'])).body).toEqual({ result: false });
    for (const body of [[], ['sales', 'admin'], 'sales', [7], {}]) {
      const answer = await belongs(body, ada);
      expect([answer.status, answer.body]).toMatchObject([400, { __ERROR: [{ errCode: 9016 }] }]);
    }
    const byGet = await get('$directory/currentUserBelongsTo', ada);
    expect([byGet.status, byGet.headers['allow']]).toEqual([405, 'POST, OPTIONS']);
  });
});

describe('a session', () => {
  test('ends with a logout, which takes the cookie back', async () => {
    const cookie = cookieOf(await logIn(['ada', PASSWORD]));
    const answer = await get('$directory/logout', cookie);
    expect([answer.status, answer.body, answer.headers['set-cookie']]).toEqual([
      200,
      { result: true },
      ['ENTITYGATE_SID=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'],
    ]);
    const who = await get('$directory/currentUser', cookie);
    expect([who.status, who.body, who.headers['set-cookie']]).toEqual([
      200,
      { result: null },
      ['ENTITYGATE_SID=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'],
    ]);
    const over = await get('Country', cookie);
    expect([over.status, over.headers['set-cookie'], over.headers['www-authenticate']]).toEqual([
      401,
      ['ENTITYGATE_SID=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'],
      'Basic realm="Legacy ERP", charset="UTF-8"',
    ]);
    const ofPage = await get('Country', { ...cookie, 'x-requested-with': 'XMLHttpRequest' });
    expect([ofPage.status, ofPage.headers['www-authenticate']]).toEqual([401, undefined]);
    expect((await get('$directory/logout', cookie)).body).toEqual({ result: true });
    // Without the cookie everybody is a guest.
    expect((await get('Country')).status).toBe(200);
    expect((await get('Company')).status).toBe(404);
    expect((await get('$directory/currentUser')).body).toEqual({ result: null });
  });

  test('that the header names and that is none leaves the cookie of another one', async () => {
    const cookie = cookieOf(await logIn(['ada', PASSWORD]));
    const header = { 'entitygate-session': 'bogus' };
    const over = await get('Company', { ...cookie, ...header });
    expect([over.status, over.headers['set-cookie']]).toEqual([401, undefined]);
    expect((await get('Company', cookie)).status).toBe(200);
    const who = await get('$directory/currentUser', { ...cookie, ...header });
    expect([who.status, who.body, who.headers['set-cookie']]).toEqual([
      200,
      { result: null },
      undefined,
    ]);
    const alone = await get('Company', header);
    expect([alone.status, alone.headers['set-cookie']]).toEqual([401, undefined]);
    await get('$directory/logout', cookie);
  });

  test('of somebody else is none: its locks are not relied on', async () => {
    const ada = cookieOf(await logIn(['ada', PASSWORD]));
    const locked = await get('Company(1)?$lock=true', ada);
    expect(locked.body).toMatchObject({ result: true });
    const basic = `Basic ${Buffer.from(`bob:${PASSWORD}`).toString('base64')}`;
    const asBob = await get('Company(1)?$lock=false', { ...ada, authorization: basic });
    expect(asBob.body).toMatchObject({ result: false, __STATUS: { status: 3 } });
    expect((await get('Company(1)?$lock=false', ada)).body).toMatchObject({ result: true });
  });

  test('what is not to be seen is not there to be unlocked, whoever holds it', async () => {
    const ada = cookieOf(await logIn(['ada', PASSWORD]));
    await get('Company(1)?$lock=true', ada);
    expect((await get('Company(1)?$lock=false')).body).toMatchObject({
      __ERROR: [{ errCode: 1800 }],
    });
    await get('$directory/logout', ada);
  });

  test('is over as soon as its user may not log in any more', async () => {
    const cookie = cookieOf(await logIn(['ada', PASSWORD]));
    await folder.write('users.yaml', users(true));
    // The file is looked at once a second at most.
    await expect
      .poll(async () => (await get('Company?$top=0', cookie)).status, {
        timeout: 10_000,
        interval: 200,
      })
      .toBe(401);
    await folder.write('users.yaml', users(false));
    await expect
      .poll(async () => (await logIn(['ada', PASSWORD])).status, { timeout: 10_000, interval: 200 })
      .toBe(200);
  });

  test('of a browser does nothing for another site', async () => {
    const cookie = cookieOf(await logIn(['ada', PASSWORD]));
    const foreign = { ...cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const refusal = [403, { __ERROR: [{ errCode: 9040 }] }];
    const save = await gateway.get('/rest/Company', {
      method: 'POST',
      headers: foreign,
      body: '{"__KEY":1,"__STAMP":-1,"name":"x"}',
    });
    expect([save.status, save.body]).toMatchObject(refusal);
    const lock = await get('Company(1)?$lock=true', foreign);
    expect([lock.status, lock.body]).toMatchObject(refusal);
    expect((await get('Company?$top=0', foreign)).status).toBe(200);
  });
});

describe('$info', () => {
  test('opens a session, and tells of nobody else', async () => {
    const mine = await get('$info');
    const cookie = cookieOf(mine);
    await get('Country?$orderby=name&$method=entityset', cookie);
    const other = cookieOf(await get('$info'));
    await get('Country?$method=entityset', other);
    const { body } = await get('$info', cookie);
    expect(body).toEqual({
      entitySetCount: 1,
      entitySet: [
        {
          id: expect.stringMatching(/^[0-9A-F]+$/) as unknown,
          dataClass: 'Country',
          selectionSize: 30,
          sorted: true,
          refreshed: expect.any(String) as unknown,
          expires: expect.any(String) as unknown,
        },
      ],
      ProgressInfo: [],
      sessionInfo: [
        {
          sessionID: cookie.cookie.replace('ENTITYGATE_SID=', ''),
          userName: '',
          lifeTime: 3600,
          expiration: expect.any(String) as unknown,
        },
      ],
      privileges: { privileges: [{ privilege: 'guest' }] },
    });
  });

  test('tells an administrator of all, and no id that would make them somebody else', async () => {
    const other = cookieOf(await get('$info')).cookie.replace('ENTITYGATE_SID=', '');
    const root = cookieOf(await logIn(['root', PASSWORD]));
    const { body, text } = await get('$info', root);
    expect(body).toMatchObject({
      cacheSize: 268_435_456,
      usedCache: expect.any(Number) as unknown,
      pool: { size: expect.any(Number) as unknown, used: 0, waiting: 0 },
      lockCount: expect.any(Number) as unknown,
      lostLogLines: 0,
      privileges: { privileges: [{ privilege: 'admin' }] },
    });
    const { sessionInfo, entitySetCount } = body as {
      sessionInfo: { sessionID: string }[];
      entitySetCount: number;
    };
    expect(sessionInfo.length).toBeGreaterThan(3);
    expect(entitySetCount).toBeGreaterThan(1);
    expect(text).not.toContain(other);
  });
});

test('who has to log in is told so, and nothing else, without an error', async () => {
  const path = await folder.write('only.yaml', users(false).replaceAll('sales', 'admin'));
  const { authentication } = configSchema.parse({ authentication: { users: path } });
  const closed = await startGateway(
    opened.database,
    authentication === undefined ? {} : { authentication },
  );
  const ask = (url: string, headers: Record<string, string> = {}): Promise<Answer> =>
    closed.get(`/rest/${url}`, { headers });
  try {
    const who = { status: 200, body: { result: null, logins: ['password'] } };
    expect(await ask('$directory/currentUser')).toMatchObject(who);
    expect(await ask('$directory/currentUser', { cookie: 'ENTITYGATE_SID=gone' })).toMatchObject(
      who,
    );
    const wrong = Buffer.from('ada:wrong').toString('base64');
    for (const [url, headers] of [
      ['$directory/currentUser', { authorization: `Basic ${wrong}` }],
      ['$directory/currentUser', { 'api-key': 'egk_unknown' }],
      ['$directory/currentUser/x', {}],
      ['$directory/currentUserBelongsTo', {}],
      ['$catalog', {}],
      ['Country', {}],
    ] as const) {
      expect([url, (await ask(url, headers)).status]).toEqual([url, 401]);
    }
  } finally {
    await closed.close();
  }
});
