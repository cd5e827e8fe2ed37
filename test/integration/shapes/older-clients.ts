import { defaultLimits } from '../../../src/base/limits.ts';
import type { Shape } from './engines.ts';
import { sample } from './sample.ts';

/** Dates and stamps as older clients have them. */
export const shape: Shape = { ...sample, settings: { simpleDates: true, requireStamp: false } };

/** What older clients need beside the defaults. */
export const compatible: Shape = {
  ...sample,
  settings: {
    compatibility: { deleteByGet: true, overrideStamp: true },
    limits: { ...defaultLimits, maxTop: 3, beyondMaxTop: 'shorten' },
  },
};
