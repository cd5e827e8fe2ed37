import { expect, test } from 'vitest';
import { bestFormat, type ImageType } from '../../../src/answer/image/formats.ts';

const CHROME = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';

test.each<readonly [accept: string | undefined, stored: ImageType | null, best: ImageType]>([
  [undefined, 'jpeg', 'jpeg'],
  [undefined, 'bmp', 'png'],
  [undefined, null, 'png'],
  ['*/*', 'gif', 'gif'],
  [CHROME, 'png', 'png'],
  [CHROME, 'jpeg', 'jpeg'],
  [CHROME, 'tiff', 'png'],
  [CHROME, 'bmp', 'png'],
  ['image/bmp, */*;q=0.1', 'bmp', 'bmp'],
  ['image/tiff', 'tiff', 'tiff'],
  ['image/tiff', 'png', 'tiff'],
  ['image/jpeg;q=0.5, image/gif;q=0.9', 'png', 'gif'],
  ['image/png;q=0, */*', 'png', 'jpeg'],
  ['IMAGE/JPEG ; Q=1.0', 'png', 'jpeg'],
  ['image/*;q=0, */*', 'jpeg', 'png'],
  ['image/jpeg;q=high', 'png', 'png'],
  ['application/json', 'jpeg', 'png'],
  ['image/webp', 'bmp', 'webp'],
])('the best format for %s of %s is %s', (accept, stored, best) => {
  expect(bestFormat(accept, stored)).toBe(best);
});
