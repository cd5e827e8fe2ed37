import { z } from 'zod';

/** `images:` of `config.yaml`: what the conversion of one image to another format may take. */
export const imageSettings = z.strictObject({
  maxPixels: z
    .int()
    .min(1)
    .max(268_402_689)
    .default(64_000_000)
    .describe('How many pixels an image may have that is converted to another format.'),
  maxBytes: z
    .int()
    .min(1024)
    .max(1_073_741_824)
    .default(67_108_864)
    .describe('How many bytes an image may have, as it is stored, that is converted.'),
  timeoutSeconds: z.int().min(1).max(3600).default(15).describe('How long a conversion may take.'),
  concurrency: z
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe('How many images are converted at once; others wait for their turn.'),
});
