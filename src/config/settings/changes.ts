import { z } from 'zod';
import { integer, seconds } from './fields.ts';

/** `changes:` of `config.yaml`: how `$changes/stream` follows the database. */
export const changesSetting = z
  .strictObject({
    pollSeconds: seconds(15)
      .default(1)
      .describe('How long to wait between two looks at the database, one for all streams.'),
    maxStreams: integer(0, 100_000)
      .default(2000)
      .describe('How many streams there are at once; more are refused.'),
  })
  .prefault({});
