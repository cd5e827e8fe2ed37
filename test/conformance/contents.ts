import sharp from 'sharp';
import type { Verbs } from '../cases/run.ts';
import { logos, pdf, portraits } from '../fixtures/legacy/binaries.ts';
import type { Gateway } from '../targets/gateway.ts';

/** Contents of the sample, by their names. */
const contents: Readonly<Record<string, Uint8Array>> = {
  'portrait.png': portraits.png,
  'portrait.jpeg': portraits.jpeg,
  'portrait.bmp': portraits.bitmap,
  'logo.png': logos.png,
  'invoice.pdf': pdf('Invoice 1: Acme Freight & Co.'),
};

/**
 * `CONTENT URL` reads an image or BLOB, and answers which content that is, `"portrait.png"`, an image by its format and size, `"gif 64x64"`, or a few bytes
 * as text. `UPLOAD URL portrait.png` posts a content.
 */
export function contentVerbs(gateway: Gateway): Verbs {
  return {
    CONTENT: async ({ text, headers = {} }) => {
      const answer = await gateway.get(`/rest/${text}`, { headers });
      return { ...answer, body: answer.body ?? (await named(answer.bytes)) };
    },
    UPLOAD: ({ text, headers = {}, body }) => {
      const content = contents[body ?? ''];
      if (content === undefined) throw new Error(`there is no content ${String(body)}`);
      return gateway.get(`/rest/${text}`, { method: 'POST', headers, body: content });
    },
  };
}

/** What bytes are; undefined where there are none. */
async function named(bytes: Buffer): Promise<string | undefined> {
  if (bytes.length === 0) return undefined;
  if (bytes.length < 16) return bytes.toString('latin1');
  for (const [name, content] of Object.entries(contents)) {
    if (bytes.equals(content)) return name;
    const before = bytes.indexOf(content);
    if (before >= 0) return `${name} behind ${before} bytes of ${bytes.length}`;
  }
  const { format, width, height } = await sharp(bytes).metadata();
  return `${format} ${width}x${height}`;
}
