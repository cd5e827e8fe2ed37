import { expect, test } from 'vitest';
import type { ToWorker } from '../../../src/server/workers/messages.ts';
import { type ReloadingWorker, ReloadRounds } from '../../../src/server/workers/reload-rounds.ts';
import type { ReloadOutcome } from '../../../src/server/reload/changes.ts';

const none = { added: [], removed: [], changed: [] };
const good: ReloadOutcome = {
  ok: true,
  report: {
    dataclasses: none,
    functions: none,
    roles: none,
    users: none,
    apiKeys: none,
    milliseconds: 1,
    needsRestart: [],
    warnings: [],
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
  kind: 'endReload',
  outcome,
  logsOutcome,
});

test('all workers change once all are ready', async () => {
  expect(await round(good, good)).toEqual({
    outcome: good,
    told: [
      [prepare, end(good, true)],
      [prepare, end(good, false)],
    ],
  });
});

test('none changes where one cannot', async () => {
  expect(await round(good, bad)).toEqual({
    outcome: bad,
    told: [
      [prepare, end(bad, true)],
      [prepare, end(bad, false)],
    ],
  });
});

test('one that ends meanwhile is not waited for', async () => {
  expect(await round(null, good)).toEqual({
    outcome: good,
    told: [[prepare], [prepare, end(good, true)]],
  });
  expect(await round(null, null)).toEqual({ outcome: null, told: [[prepare], [prepare]] });
});
