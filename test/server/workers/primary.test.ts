import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { StartupError } from '../../../src/base/errors.ts';
import type { FromWorker, ToWorker } from '../../../src/server/workers/messages.ts';
import {
  Backoff,
  Primary,
  WorkerFailed,
  type WorkerProcess,
} from '../../../src/server/workers/primary.ts';
import { type ReloadingWorker, ReloadRounds } from '../../../src/server/workers/reload-rounds.ts';
import type { ReloadOutcome } from '../../../src/server/reload/changes.ts';

/** A process that does what the test says. */
class FakeWorker extends EventEmitter implements WorkerProcess {
  readonly told: ToWorker[] = [];
  readonly signals: string[] = [];
  readonly process = {
    pid: 1,
    kill: (signal: string): void => {
      this.signals.push(signal);
    },
  };

  send(message: ToWorker): void {
    this.told.push(message);
  }

  says(message: FromWorker): void {
    this.emit('message', message);
  }

  ends(code: number | null, signal: string | null = null): void {
    this.emit('exit', code, signal);
  }

  get kinds(): string[] {
    return this.told.map(({ kind }) => kind);
  }
}

interface Started {
  readonly primary: Primary;
  readonly workers: FakeWorker[];
  readonly log: string[];
  readonly banners: string[];
}

/** A primary whose workers are started, and wait for what the test says. */
function begin(count: number): Started {
  const workers: FakeWorker[] = [];
  const log: string[] = [];
  const banners: string[] = [];
  const note = (_details: object, message: string): void => {
    log.push(message);
  };
  const primary = new Primary({
    count,
    endSeconds: 60,
    log: { error: note },
    fork: () => {
      const worker = new FakeWorker();
      workers.push(worker);
      return worker;
    },
    onServing: (banner) => banners.push(banner),
  });
  return { primary, workers, log, banners };
}

function started(count: number): Started & { readonly ended: Promise<number> } {
  const all = begin(count);
  const ended = all.primary.start();
  for (let worker = 0; worker < count; worker += 1) {
    all.workers[worker]?.says({ kind: 'hello' });
    all.workers[worker]?.says({ kind: 'ready', banner: `worker ${worker} serves` });
  }
  expect(all.banners).toEqual(['worker 0 serves']);
  return { ...all, ended };
}

test('the first one starts alone, and each has its number', () => {
  const all = begin(3);
  void all.primary.start();
  expect(all.workers).toHaveLength(1);
  all.workers[0]?.says({ kind: 'ready', banner: '' });
  expect(all.workers).toHaveLength(3);
  for (const worker of all.workers) worker.says({ kind: 'hello' });
  const begins = [0, 1, 2].map((id) => ({ kind: 'begin', id, isFirst: false }));
  expect(all.workers.map(({ told: [message] }) => message)).toEqual(begins);
});

test('what stands against the first start ends it, in its own words', async () => {
  const { primary, workers, banners } = begin(2);
  const start = primary.start();
  workers[0]?.says({ kind: 'failed', problems: [{ where: 'here', message: 'no' }], more: 2 });
  workers[0]?.ends(1);
  await expect(start).rejects.toEqual(new StartupError([{ where: 'here', message: 'no' }], 2));
  await expect(start).rejects.toBeInstanceOf(StartupError);
  expect(workers).toHaveLength(1);
  expect(banners).toEqual([]);
});

test('where a later one cannot start, those before it are stopped first', async () => {
  const { primary, workers } = begin(2);
  const start = primary.start();
  workers[0]?.says({ kind: 'ready', banner: '' });
  workers[1]?.ends(3);
  expect(workers[0]?.kinds).toEqual(['stop']);
  workers[0]?.ends(0);
  await expect(start).rejects.toEqual(new WorkerFailed(3, null));
});

test('one that ends is replaced, with its number', async () => {
  const { workers, log } = started(2);
  workers[1]?.ends(null, 'SIGKILL');
  await expect.poll(() => workers.length).toBe(3);
  expect(log).toEqual(['a worker ended; starting another one']);
  workers[2]?.says({ kind: 'hello' });
  expect(workers[2]?.told).toMatchObject([{ kind: 'begin', id: 1, isFirst: false }]);
});

test('each gets the metrics of all that tell them', async () => {
  const { workers } = started(3);
  const [one, other, silent] = workers;
  one?.says({ kind: 'collect', id: 7 });
  const measure = { kind: 'measure', round: 1 };
  expect(workers.map(({ told }) => told.at(-1))).toEqual([measure, measure, measure]);
  other?.says({ kind: 'measured', round: 1, metrics: ['of the other'] });
  one?.says({ kind: 'measured', round: 1, metrics: ['its own'] });
  silent?.ends(1);
  const collected = { kind: 'collected', id: 7, metrics: [['its own'], ['of the other']] };
  await expect.poll(() => one?.told.at(-1)).toEqual(collected);
});

test('where none is left, and none can be started, it ends as it would have begun', async () => {
  const { ended, workers } = started(1);
  workers[0]?.ends(1);
  await expect.poll(() => workers.length).toBe(2);
  workers[1]?.says({ kind: 'failed', problems: [{ where: null, message: 'gone' }], more: 0 });
  workers[1]?.ends(1);
  await expect(ended).rejects.toThrow('gone');
});

test('a signal stops all, and one that was killed while it stopped is told of', async () => {
  const { primary, workers, ended } = started(2);
  primary.stop('SIGTERM');
  expect(workers.map(({ kinds }) => kinds.at(-1))).toEqual(['stop', 'stop']);
  primary.breakOff();
  expect(workers[0]?.kinds.at(-1)).toBe('breakOff');
  workers[1]?.ends(0);
  workers[0]?.ends(null, 'SIGKILL');
  expect(await ended).toBe(1);
});

test('what ends again and again is waited for longer and longer, and not for ever', () => {
  const backoff = new Backoff();
  expect(Array.from({ length: 9 }, () => backoff.next(0))).toEqual([
    0, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
  // What has served for long is started again at once.
  expect([backoff.next(10_000), backoff.next(9_999)]).toEqual([0, 500]);
});

const none = { added: [], removed: [], changed: [] };
const good: ReloadOutcome = {
  ok: true,
  report: {
    ...{ dataclasses: none, functions: none, roles: none, users: none, apiKeys: none },
    ...{ reports: none, milliseconds: 1, needsRestart: [], warnings: [] },
  },
};
const bad: ReloadOutcome = { ok: false, problems: [{ where: null, message: 'no' }], more: 0 };

/** Reloads two workers, which answer as given; null is one that ends instead. */
async function round(...answers: readonly (ReloadOutcome | null)[]): Promise<unknown> {
  const told: ToWorker[][] = answers.map(() => []);
  const workers = answers.map((answer, index): ReloadingWorker => {
    const own: ReloadingWorker = {
      send: (message) => {
        told[index]?.push(message);
        if (message.kind !== 'prepareReload') return;
        setImmediate(() => {
          if (answer === null) rounds.left(own);
          else rounds.prepared(own, message.round, answer);
        });
      },
    };
    return own;
  });
  const rounds = new ReloadRounds(() => workers);
  const outcome = await rounds.reload();
  return { outcome, told };
}

const prepare = { kind: 'prepareReload', round: 1 };
const end = (outcome: ReloadOutcome, logsOutcome: boolean): object => ({
  ...{ kind: 'endReload', outcome, logsOutcome },
});

test.each([
  ['all change once all are ready', [good, good], good],
  ['none changes where one cannot', [good, bad], bad],
])('of several workers %s', async (_what, answers, outcome) => {
  const told = [true, false].map((logsOutcome) => [prepare, end(outcome, logsOutcome)]);
  expect(await round(...answers)).toEqual({ outcome, told });
});

test('one that ends meanwhile is not waited for', async () => {
  expect(await round(null, good)).toEqual({
    ...{ outcome: good, told: [[prepare], [prepare, end(good, true)]] },
  });
  expect(await round(null, null)).toEqual({ outcome: null, told: [[prepare], [prepare]] });
});
