/** How the bytes of an image begin, by the subtypes of their media types and the endings of their files' names. */
const SIGNATURES: readonly { readonly names: readonly string[]; readonly begins: RegExp }[] = [
  // https://www.w3.org/TR/png-3/#3PNGsignature
  { names: ['png', 'x-png'], begins: /^\x89PNG\r\n/ },
  // https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.1.1.3
  { names: ['jpeg', 'jpg', 'pjpeg'], begins: /^\xff\xd8\xff/ },
  // https://www.w3.org/Graphics/GIF/spec-gif89a.txt, 17
  { names: ['gif'], begins: /^GIF8[79]a/ },
  // https://learn.microsoft.com/windows/win32/api/wingdi/ns-wingdi-bitmapfileheader
  { names: ['bmp', 'x-bmp', 'x-ms-bmp'], begins: /^BM/ },
  // https://www.rfc-editor.org/rfc/rfc3302, 3
  { names: ['tiff', 'tif'], begins: /^(?:II\*\0|MM\0\*)/ },
  // https://www.rfc-editor.org/rfc/rfc9649, 2.4
  { names: ['webp'], begins: /^RIFF[^]{4}WEBP/ },
  // Text of XML, behind a byte order mark and blanks: https://www.w3.org/TR/SVG2/struct.html
  { names: ['svg+xml', 'svg'], begins: /^(?:\xef\xbb\xbf)?\s*(?:<|$)/ },
];

/** The types of images whose beginnings are known. */
export const IMAGE_TYPES: readonly string[] = SIGNATURES.flatMap(({ names }) => names.slice(0, 1));

/** The types of images that the gateway reads; the names are those of their media types. */
export const READ_TYPES = ['png', 'jpeg', 'gif', 'bmp', 'tiff', 'webp'] as const;

/** A type of image that the gateway reads. */
export type ImageType = (typeof READ_TYPES)[number];

/** As many bytes as the longest beginning has. */
const LONGEST = 12;

/**
 * What type of image bytes begin as, whatever they are said to be; null where it is none that the gateway reads. SVG is not told by its
 * beginning from other text, which might be a page with scripts.
 */
export function imageTypeOf(bytes: Uint8Array): ImageType | null {
  return READ_TYPES.find((type) => beginsAs(type, bytes) === true) ?? null;
}

/**
 * Whether bytes begin as an image of a type does.
 * @param name the subtype of the media type, or the ending of a file's name, in lower case
 * @returns null for a type whose beginning is not known here
 */
export function beginsAs(name: string, bytes: Uint8Array): boolean | null {
  const known = SIGNATURES.find(({ names }) => names.includes(name));
  const beginning = Buffer.from(bytes.subarray(0, LONGEST)).toString('latin1');
  return known === undefined ? null : known.begins.test(beginning);
}

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
