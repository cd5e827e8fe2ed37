import type { ImageType } from './signatures.ts';

/** The formats that images are converted to. */
const MADE = ['png', 'jpeg', 'gif', 'tiff', 'webp'] as const;

/** A format that images are converted to. */
export type MadeFormat = (typeof MADE)[number];

/** Stored types that programs which show images take, and that `*` in Accept therefore means. */
const COMMON: ReadonlySet<ImageType> = new Set(['png', 'jpeg', 'gif', 'webp']);

/** How much a client wants each type of image, by the names of media types (RFC 9110, 12.5.1); `*` for those that it does not name. */
type Wishes = ReadonlyMap<string, number>;

/**
 * The format that `$imageformat=best` means: what is stored where the client takes it; else the one that it wants most, and of several
 * PNG, which loses nothing. A bitmap or a TIFF is taken by who names it: the browsers that say that they take anything do not show the latter.
 * Who takes no image at all is sent one all the same, since it asks for one.
 * @param accept the header, which may be missing
 * @param stored null for what the gateway does not read
 */
export function bestFormat(accept: string | undefined, stored: ImageType | null): ImageType {
  const wishes = readWishes(accept);
  const wish = (type: ImageType): number =>
    wishes.get(type) ?? (COMMON.has(type) ? (wishes.get('*') ?? 0) : 0);
  if (stored !== null && wish(stored) > 0) return stored;
  let best: MadeFormat = 'png';
  for (const format of MADE) if (wish(format) > wish(best)) best = format;
  return best;
}

function readWishes(accept: string | undefined): Wishes {
  const wishes = new Map<string, number>();
  for (const item of (accept ?? '*/*').split(',')) {
    const [range = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    const weight = /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(quality) ? Number(quality) : 0;
    const type = range === '*/*' ? '*/*' : /^image\/(.+)$/.exec(range)?.[1];
    if (type !== undefined) wishes.set(type, weight);
  }
  // The narrower of two ranges counts.
  const any = wishes.get('*') ?? wishes.get('*/*');
  if (any !== undefined) wishes.set('*', any);
  return wishes;
}
