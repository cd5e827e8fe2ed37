import { X509Certificate } from 'node:crypto';
import { StartupError } from '../../base/errors.ts';
import type { ProxySetting } from './proxy.ts';
import { MOST_PEM_BYTES, readText, unreadable } from '../document/text-file.ts';

/**
 * The entries of `proxy` with what their files hold: `ca` is the text of the certificates.
 * @throws StartupError with the setting that is wrong, as `proxy.0.ca`
 */
export async function readProxyFiles(
  proxy: readonly ProxySetting[],
): Promise<readonly ProxySetting[]> {
  return Promise.all(
    proxy.map(async ({ ca, ...entry }, index) =>
      ca === undefined ? entry : { ...entry, ca: await certificates(ca, `proxy.${index}.ca`) },
    ),
  );
}

async function certificates(path: string, where: string): Promise<string> {
  let text: string;
  try {
    text = await readText(path, MOST_PEM_BYTES);
  } catch (error) {
    const message = `${path}: ${unreadable(error, 'file')}`;
    throw new StartupError([{ where, message }]);
  }
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  try {
    if (found.map((pem) => new X509Certificate(pem)).length > 0) return text;
  } catch {
    // Said below, too.
  }
  const message = `${path} holds no certificates in PEM form, "-----BEGIN CERTIFICATE-----" and what follows`;
  throw new StartupError([{ where, message }]);
}
