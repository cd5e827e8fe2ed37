/** The first bytes of images, by the subtypes of media types and the extensions of files. */
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
  // XML after a byte order mark and blanks: https://www.w3.org/TR/SVG2/struct.html
  { names: ['svg+xml', 'svg'], begins: /^(?:\xef\xbb\xbf)?\s*(?:<|$)/ },
];

/** The types of images with a known signature. */
export const IMAGE_TYPES: readonly string[] = SIGNATURES.flatMap(({ names }) => names.slice(0, 1));

/** The types of images that the gateway reads, by their media types. */
export const READ_TYPES = ['png', 'jpeg', 'gif', 'bmp', 'tiff', 'webp'] as const;

export type ImageType = (typeof READ_TYPES)[number];

/** Bytes of the longest signature. */
const LONGEST = 12;

/** The type of an image by its first bytes; null for types that the gateway does not read. SVG is not read: text that looks like it may be a page. */
export function imageTypeOf(bytes: Uint8Array): ImageType | null {
  return READ_TYPES.find((type) => beginsAs(type, bytes) === true) ?? null;
}

/** Whether bytes begin with the signature of a type, its media subtype or file extension in lower case; null for a type without a known signature. */
export function beginsAs(name: string, bytes: Uint8Array): boolean | null {
  const known = SIGNATURES.find(({ names }) => names.includes(name));
  const beginning = Buffer.from(bytes.subarray(0, LONGEST)).toString('latin1');
  return known === undefined ? null : known.begins.test(beginning);
}

/** The formats that images are converted to. */
const MADE = ['png', 'jpeg', 'gif', 'tiff', 'webp'] as const;

export type MadeFormat = (typeof MADE)[number];

/** The stored types that browsers show, which `*` in Accept therefore means. */
const COMMON: ReadonlySet<ImageType> = new Set(['png', 'jpeg', 'gif', 'webp']);

/**
 * The format for `$imageformat=best`: the stored one, where the gateway reads it and the client accepts it; else the one with the largest weight, and
 * of equals PNG, which loses nothing. Bitmaps and TIFF have to be named, as browsers that accept anything do not show TIFF. A client that accepts no
 * image still gets one.
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

/** The client's weights of image types (RFC 9110, 12.5.1); `*` for types that it does not name. */
function readWishes(accept: string | undefined): ReadonlyMap<string, number> {
  const wishes = new Map<string, number>();
  for (const item of (accept ?? '*/*').split(',')) {
    const [range = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    const weight = /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(quality) ? Number(quality) : 0;
    const type = range === '*/*' ? '*/*' : /^image\/(.+)$/.exec(range)?.[1];
    if (type !== undefined) wishes.set(type, weight);
  }
  // The narrower range counts.
  const any = wishes.get('*') ?? wishes.get('*/*');
  if (any !== undefined) wishes.set('*', any);
  return wishes;
}
