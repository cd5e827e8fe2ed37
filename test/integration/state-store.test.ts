import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isProtocolError, reason } from '../../src/base/errors.ts';
import {
  storeAdvice,
  StateStore,
  type StateStoreSettings,
} from '../../src/state/shared/state-store.ts';
import { SetIds } from '../../src/state/entity-set/store.ts';
import { SharedEntitySets } from '../../src/state/shared/shared-entity-sets.ts';
import { testFolder } from '../config/files.ts';
import { makeCertificate } from '../fixtures/certificates.ts';
import { integers, listOf } from '../state/entity-set/lists.ts';
import { describeWith } from '../targets/missing.ts';
import { freePort } from '../targets/free-port.ts';
import { noStateStore, openStateStore, type StateStoreTarget } from '../targets/state-store.ts';

describeWith(noStateStore, 'the state store', () => {
  async function started(...options: readonly string[]): Promise<StateStoreTarget> {
    const target = await openStateStore(...options);
    onTestFinished(target.close);
    return target;
  }

  async function opened(
    target: StateStoreTarget,
    settings: Partial<StateStoreSettings> = {},
  ): Promise<StateStore> {
    const store = await StateStore.open({ ...target.settings, ...settings });
    onTestFinished(() => store.close());
    return store;
  }

  /** What becomes of a command: its answer, or why the store is said to be unavailable. */
  async function asked(store: StateStore): Promise<unknown> {
    try {
      return await store.use((client) => client.incr(store.key('counted')));
    } catch (error) {
      if (isProtocolError(error, 'stateUnavailable')) return 'unavailable';
      throw error;
    }
  }

  async function comesBack(store: StateStore): Promise<void> {
    await expect.poll(() => store.problem).toBeNull();
  }

  test('runs scripts, also after it has forgotten them', async () => {
    const target = await started();
    const store = await opened(target);
    const add = (value: number | string): Promise<unknown> =>
      store.run("return redis.call('INCRBY', KEYS[1], ARGV[1])", [store.key('sum')], [value]);
    expect([await add(3), await add('4')]).toEqual([3, 7]);
    await target.command('SCRIPT', 'FLUSH');
    expect(await add(1)).toBe(8);
    expect(await target.command('GET', '{entitygate}:sum')).toBe('8');
  });

  test('a store that ends is unavailable at once, and used again when it is there', async () => {
    const target = await started();
    const store = await opened(target);
    expect([store.problem, await asked(store)]).toEqual([null, 1]);
    await target.stop('SIGKILL');
    expect(await asked(store)).toBe('unavailable');
    await expect.poll(() => store.problem).toMatch('ECONNREFUSED');
    const { host } = new URL(target.settings.url);
    expect(store.problem).toBe(
      `The state store at ${host} cannot be used: connect ECONNREFUSED ${host}.`,
    );
    await target.start();
    await comesBack(store);
    expect(await asked(store)).toBe(1);
  });

  test('a store that answers nothing is unavailable after the time limit, and used again when it answers', async () => {
    const target = await started();
    const store = await opened(target, { timeoutSeconds: 1 });
    target.freeze();
    expect(await asked(store)).toBe('unavailable');
    await expect.poll(() => store.problem).not.toBeNull();
    target.thaw();
    await comesBack(store);
    await expect.poll(() => asked(store)).not.toBe('unavailable');
  });

  test('a store that refuses its service is unavailable, and the cause says why', async () => {
    const target = await started('--maxmemory', '1', '--maxmemory-policy', 'noeviction');
    const store = await opened(target);
    const refused = store.use((client) => client.set(store.key('a'), 'a'));
    await expect(refused).rejects.toSatisfy(
      (error) =>
        isProtocolError(error, 'stateUnavailable') && reason(error).startsWith('OOM command'),
    );
  });

  test('what it does not understand is a mistake of the gateway', async () => {
    const store = await opened(await started());
    await expect(store.use((client) => client.call('GET'))).rejects.toMatchObject({
      name: 'ReplyError',
      message: expect.stringMatching(/^ERR wrong number of arguments/),
    });
  });

  test('a password is told by the settings or the URL, and never by a problem', async () => {
    const target = await started('--requirepass', 'p@ss');
    const { host } = new URL(target.settings.url);
    const url = `valkey://:p%40ss@${host}`;
    expect((await opened(target, { password: 'p@ss' })).problem).toBeNull();
    expect((await opened(target, { url })).problem).toBeNull();
    expect((await opened(target, { url, password: 'wrong' })).problem).toBe(
      `The state store at ${host} cannot be used: WRONGPASS invalid username-password pair or user is disabled.`,
    );
  });

  test('is reached by every scheme, with TLS where its certificate is trusted', async () => {
    const { cert, key } = await makeCertificate();
    const folder = await testFolder();
    onTestFinished(folder.remove);
    const files = [
      ...['--tls-cert-file', await folder.write('cert.pem', cert)],
      ...['--tls-key-file', await folder.write('key.pem', key)],
    ];
    const port = await freePort();
    const target = await started('--tls-port', String(port), '--tls-auth-clients', 'no', ...files);
    const { host } = new URL(target.settings.url);
    for (const scheme of ['valkey', 'redis', 'REDIS']) {
      expect((await opened(target, { url: `${scheme}://${host}/1` })).problem).toBeNull();
    }
    for (const scheme of ['valkeys', 'rediss']) {
      const url = `${scheme}://localhost:${port}`;
      expect((await opened(target, { url, ca: cert })).problem).toBeNull();
      expect((await opened(target, { url })).problem).toBe(
        `The state store at localhost:${port} cannot be used: self-signed certificate.`,
      );
    }
  });

  test('has advice where it may drop what is in use', async () => {
    const careful = await started();
    expect((await opened(careful)).advice).toEqual([]);
    const forgetful = await started('--maxmemory', '1gb', '--maxmemory-policy', 'allkeys-lru');
    expect((await opened(forgetful)).advice).toEqual([
      `The state store at ${new URL(forgetful.settings.url).host} drops sessions and entity sets in use when its memory is full: set maxmemory-policy to noeviction; it is allkeys-lru.`,
    ]);
  });

  test('a message reaches every subscriber, also one whose connection was lost meanwhile', async () => {
    const target = await started();
    const [sender, receiver] = [await opened(target), await opened(target)];
    const heard: string[] = [];
    receiver.subscribe('news', (message) => heard.push(`receiver ${message}`));
    receiver.subscribe('other', (message) => heard.push(`other ${message}`));
    sender.subscribe('news', (message) => heard.push(`sender ${message}`));
    let tries = 0;
    const hears = async (): Promise<void> => {
      await vi.waitFor(async () => {
        const message = `message ${(tries += 1)}`;
        await sender.publish('news', message);
        // Those of earlier tries may still come.
        const told = (): unknown => heard.filter((text) => text.endsWith(` ${message}`)).toSorted();
        const both = [`receiver ${message}`, `sender ${message}`];
        await vi.waitFor(() => expect(told()).toEqual(both));
      }, 20_000);
    };
    await hears();
    await target.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await hears();
    await target.stop('SIGKILL');
    await target.start();
    await hears();
  });

  test('closed while it subscribes again, it leaves no error that nobody handles', async () => {
    const target = await started();
    const store = await opened(target);
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    store.subscribe('news', () => undefined);
    await expect.poll(() => target.command('PUBSUB', 'NUMSUB', store.key('news'))).toContain(1);
    const prototype = Redis.prototype as { subscribe: (...channels: string[]) => unknown };
    const { subscribe } = prototype;
    onTestFinished(() => {
      process.off('unhandledRejection', unhandled);
      prototype.subscribe = subscribe;
    });
    // A spy of vitest would handle the error.
    await new Promise<void>((resolve) => {
      prototype.subscribe = function (...channels) {
        target.freeze();
        resolve();
        return Reflect.apply(subscribe, this, channels);
      };
      void target.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    });
    store.close();
    await target.stop('SIGKILL');
    await pause(50);
    expect(unhandled).not.toHaveBeenCalled();
  });

  /** Starts a cluster of as many nodes as there are ranges of its 16,384 slots. */
  async function startedCluster(...ranges: readonly (readonly [string, string])[]) {
    const nodes: StateStoreTarget[] = [];
    for (const range of ranges) {
      // By default nodes talk to each other at a port that is greater by 10,000, which there may not be.
      const port = String(await freePort());
      const enabled = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'];
      const node = await started(...enabled, '--cluster-port', port);
      await node.command('CLUSTER', 'ADDSLOTSRANGE', ...range);
      const { hostname, port: own } = new URL(node.settings.url);
      await nodes[0]?.command('CLUSTER', 'MEET', hostname, own, port);
      nodes.push(node);
    }
    for (const node of nodes) {
      const state = expect.poll(() => node.command('CLUSTER', 'INFO'), { timeout: 30_000 });
      await state.toMatch('cluster_state:ok');
    }
    return nodes;
  }

  test('a cluster is one store, whose scripts have their keys in one slot', async () => {
    const nodes = await startedCluster(['0', '5460'], ['5461', '10922'], ['10923', '16383']);
    const [target] = nodes;
    if (target === undefined) throw new Error('no node');
    const { host } = new URL(target.settings.url);
    const store = await opened(target, { cluster: [host] });
    expect([store.problem, await asked(store)]).toEqual([null, 1]);
    const both = "return redis.call('MSET', KEYS[1], 'a', KEYS[2], 'b')";
    expect(await store.run(both, [store.key('a', 'one'), store.key('b', 'two')])).toBe('OK');
    const bounds = { maxBytes: 1_000_000, maxSetBytes: 100_000, maxPerOwner: 100 };
    const sets = new SharedEntitySets(store, bounds, new SetIds('key'), performance);
    const keys = listOf(integers([3, 1, 2]));
    const set = { dataclass: 'Employee', definition: '', audience: '', owner: 'ada', keys };
    const ids: string[] = [];
    for (let count = 0; count < 30; count += 1) {
      ids.push(await sets.add({ ...set, lifetime: 7200, isSorted: false }));
    }
    for (const id of ids) {
      const found = await sets.find(id, '');
      expect(await found?.keys.slice(0, 3)).toEqual([['3'], ['1'], ['2']]);
    }
    const sizes = await Promise.all(nodes.map((node) => node.command('DBSIZE')));
    expect(sizes.map((size) => Number(size) > 0)).toEqual([true, true, true]);
    const heard: string[] = [];
    store.subscribe('news', (message) => heard.push(message));
    const publish = (): Promise<unknown> => store.publish('news', 'there').then(() => heard);
    await expect.poll(publish).toContain('there');
    await target.stop('SIGKILL');
    await expect.poll(() => asked(store)).toBe('unavailable');
  });
});

test.each([
  ['redis_version:6.2.14', ['runs Redis 6.2.14: use Redis 7 or later, or Valkey.']],
  ['redis_version:7.0.15', []],
  ['redis_version:7.2.4\r\nvalkey_version:9.0.0', []],
  // What a user without the right to ask is told.
  ['', []],
])('advice about %j', (info, advice) => {
  expect(storeAdvice(`# Server\r\n${info}\r\n`)).toEqual(advice);
});
