import { ManualClock, waiting } from '../sets.ts';
import type { Shape } from './engines.ts';
import { sample, settingsIn } from './sample.ts';

const clock = new ManualClock();

/** The sample with at most five sessions, which end after a minute without a request. `WAIT 61` lets so many seconds pass. */
export const shape: Shape = {
  ...sample,
  clock,
  verbs: { WAIT: waiting(clock) },
  settings: settingsIn({ sessions: { timeoutSeconds: 60, max: 5, cookie: 'SID', header: 'Sid' } }),
};
