import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Gateway } from '../targets/gateway.ts';
import { query } from '../targets/sql.ts';
import type { CuttingProxy } from './cutting-proxy.ts';
import { ManualClock } from './sets.ts';
import { errors, onEngines } from './shapes/engines.ts';
import { sample } from './shapes/sample.ts';

const DONE = { result: true, __STATUS: { success: true } };

/** A client that keeps its cookie, and may be anywhere. */
class Browser {
  readonly #gateway: Gateway;
  readonly #name: string;
  #cookie: string | null = null;

  constructor(gateway: Gateway, name: string) {
    this.#gateway = gateway;
    this.#name = name;
  }

  async ask(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.#gateway.get(`/rest/${path}`, {
      method,
      headers: {
        'user-agent': this.#name,
        ...(this.#cookie === null ? {} : { cookie: `other=1; ${this.#cookie}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const [set] = [answer.headers['set-cookie'] ?? []].flat();
    if (set !== undefined) this.#cookie = set.replace(/;.*/s, '');
    return answer;
  }

  async lock(entity: string): Promise<unknown> {
    return (await this.ask('GET', `${entity}?$lock=true`)).body;
  }

  async status(entity: string): Promise<unknown> {
    return (await this.ask('GET', `${entity}?$lock=status`)).body;
  }

  async unlock(entity: string): Promise<unknown> {
    return (await this.ask('GET', `${entity}?$lock=false`)).body;
  }

  async write(method: string, path: string, body?: object): Promise<[number, unknown]> {
    const { status, body: told } = await this.ask(method, path, body);
    return [status, told];
  }
}

/** What a session is told whose lock another one has. */
function held(info: object): object {
  return {
    result: false,
    __STATUS: { success: false, status: 3, statusText: 'Already locked', ...info },
  };
}

/** The status of a lock that could be taken. */
function available(own: boolean, lost = false): object {
  return { result: true, __STATUS: { success: true, own, lost } };
}

const ENDED = [1822, 'The session ended before the entity was locked.'] as const;

const clock = new ManualClock();
const sessions = { timeoutSeconds: 60, max: 5, cookie: 'SID', header: 'Sid' };

onEngines('locks', { ...sample, clock, settings: { sessions } }, (served) => {
  /** Two in front of a server's database; the embedded one has one alone. */
  let gateways: [Gateway, Gateway?];
  /** In front of the first gateway's server; null before the embedded database. */
  let proxy: CuttingProxy | null = null;
  beforeAll(async () => {
    gateways = [served.gateway];
    if (served.engine === 'pglite') return;
    const behind = await served.startBehindProxy();
    ({ proxy } = behind);
    gateways = [behind.gateway, served.gateway];
  });
  const first = (): Gateway => gateways[0];

  let ada: Browser;
  let bob: Browser;
  beforeEach(() => {
    // Whoever was there before is gone by now.
    clock.forward(61);
    ada = new Browser(first(), 'Ada');
    bob = new Browser(first(), 'Bob');
  });

  const heldBy = (userAgent: string, recordNumber: number): object =>
    held({
      lockKind: 7,
      lockKindText: 'Locked by session',
      lockInfo: {
        host: `127.0.0.1:${first().port}`,
        IPAddr: '127.0.0.1',
        recordNumber,
        userAgent,
      },
    });

  test('§5 a session that is not used is closed, and its locks with it', async () => {
    expect(await ada.lock('Employee(3)')).toEqual(DONE);
    clock.forward(40);
    await ada.ask('GET', 'Country(FR)');
    clock.forward(40);
    expect(await bob.lock('Employee(3)')).toEqual(heldBy('Ada', 3));
    clock.forward(61);
    await expect.poll(() => bob.lock('Employee(3)')).toEqual(DONE);
  });

  test('§5 a session that ends while it locks holds nothing', async () => {
    for (let round = 0; round < 5; round += 1) {
      await ada.ask('GET', 'Employee(4)?$lock=true');
      await ada.ask('GET', 'Employee(4)?$lock=false');
      const [locked] = await Promise.all([
        ada.write('GET', 'Employee(3)?$lock=true'),
        ada.ask('POST', '$directory/logout'),
      ]);
      // Where the session ended first, a new one has the lock.
      if (locked[0] === 200) await ada.ask('POST', '$directory/logout');
      else expect(locked).toEqual([401, errors(ENDED)]);
      expect(await bob.lock('Employee(3)')).toEqual(DONE);
      await bob.unlock('Employee(3)');
    }
  });

  describe('where others have the database, too', () => {
    const elsewhere = held({
      lockKind: 1,
      lockKindText: 'Locked by record',
      lockInfo: { host: '', IPAddr: '', recordNumber: 4, userAgent: '' },
    });

    test('two gateways respect each other’s locks', async ({ skip }) => {
      const second = gateways[1];
      if (second === undefined) return skip('the embedded database has one gateway alone');
      const eve = new Browser(second, 'Eve');
      expect(await ada.lock('Employee(4)')).toEqual(DONE);
      expect(await eve.lock('Employee(4)')).toEqual(elsewhere);
      expect(await eve.status('Employee(4)')).toEqual(elsewhere);
      expect(await ada.status('Employee(4)')).toEqual(available(true));
      expect(await eve.unlock('Employee(4)')).toEqual(elsewhere);
      expect((await eve.write('DELETE', 'Employee(4)'))[1]).toEqual(
        errors(
          [9025, 'Employee(4) is locked by another session.'],
          [1518, 'Employee(4) was not deleted.'],
        ),
      );
      // So many that they are only looked at.
      expect(await ada.lock('OrderLine(7;2)')).toEqual(DONE);
      const before = await eve.write('GET', 'OrderLine?$top=0');
      expect(await eve.write('POST', 'OrderLine?$method=delete&$filter="orderNo < 60"')).toEqual([
        409,
        errors(
          [9025, 'OrderLine(7;2) is locked by another session.'],
          [1518, 'No entity of OrderLine was deleted.'],
        ),
      ]);
      expect(await eve.write('GET', 'OrderLine?$top=0')).toEqual([
        200,
        { ...(before[1] as object), __GlobalStamp: expect.any(Number) as number },
      ]);
      expect(await ada.unlock('Employee(4)')).toEqual(DONE);
      expect(await eve.status('Employee(4)')).toEqual(available(false));
      expect(await eve.lock('Employee(4)')).toEqual(DONE);
      expect(await ada.lock('Employee(4)')).toEqual(elsewhere);
      expect(await eve.unlock('Employee(4)')).toEqual(DONE);
    });

    test('a program that takes the lock by its name takes part', async ({ skip }) => {
      const { database } = first();
      if (gateways.length === 1) skip('the embedded database is in no other process');
      const program = await database.dedicated(() => undefined);
      // Babelfish spells names in small letters where it is asked for them.
      const table = database.version.includes('Babelfish') ? 'tbl_emp' : 'TBL_EMP';
      const name = `entitygate:HR.${table}:4`;
      try {
        await query(
          program,
          database.dialect.name === 'tsql'
            ? `EXEC sp_getapplock @Resource = '${name}', @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 0`
            : `SELECT pg_advisory_lock(('x' || substr(encode(sha256('${name}'), 'hex'), 1, 16))::bit(64)::bigint)`,
        );
        expect(await ada.lock('Employee(4)')).toEqual(elsewhere);
        const { body } = await ada.ask('GET', 'Employee(4)?$attributes=grade');
        expect((await ada.write('POST', 'Employee', body as object))[0]).toBe(409);
      } finally {
        await program.close();
      }
      await expect.poll(() => ada.status('Employee(4)')).toEqual(available(false));
      await expect.poll(() => ada.lock('Employee(4)')).toEqual(DONE);
    });

    test('who believes to hold a lock that was lost is told so', async ({ skip }) => {
      if (proxy === null) return skip('the embedded database loses no connection');
      expect(await ada.lock('Employee(5)')).toEqual(DONE);
      expect(await ada.lock('Employee(6)')).toEqual(DONE);
      const { body } = await ada.ask('GET', 'Employee(5)?$attributes=grade');
      proxy.cut('now');
      await expect.poll(async () => (await first().get('/rest/Country(FR)')).status).toBe(200);
      expect(await ada.status('Employee(5)')).toEqual(available(false, true));
      const lost = [
        9026,
        "The lock on Employee(5) was lost with the gateway's connection to the database. Read the entity and lock it again, or unlock it.",
      ] as const;
      expect((await ada.write('POST', 'Employee', body as object))[1]).toMatchObject(
        errors(lost, [1517, 'Employee(5) was not saved.']),
      );
      expect((await bob.write('POST', 'Employee', body as object))[0]).toBe(200);
      expect(await ada.write('GET', 'Employee(6)?$lock=false')).toEqual([
        409,
        {
          result: false,
          __STATUS: { success: false, status: 4, statusText: 'Other error' },
          ...errors([
            9026,
            "The lock on Employee(6) was lost with the gateway's connection to the database: others may have changed the entity since.",
          ]),
        },
      ]);
      expect(await bob.lock('Employee(5)')).toEqual(DONE);
      expect(await ada.lock('Employee(5)')).toEqual(heldBy('Bob', 5));
    });
  });
});
