import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { StartupError, type StartupProblem } from '../../base/errors.ts';
import type { Config } from '../config.ts';
import { MOST_PEM_BYTES, readText, unreadable } from '../document/text-file.ts';

type TlsConfig = NonNullable<Config['server']['tls']>;

/** A certificate and its key, as TLS takes them. */
export interface TlsFiles {
  readonly pair: {
    readonly cert: string;
    readonly key: string;
    readonly passphrase?: string;
    readonly minVersion: TlsConfig['minVersion'];
  };
  /** Reasons why clients will refuse a certificate that can be served. */
  readonly warnings: readonly string[];
}

/** Reads a certificate and its key, and checks that they belong together. @throws StartupError with the setting that is wrong, as `server.tls.key` */
export async function readTlsFiles(tls: TlsConfig): Promise<TlsFiles> {
  const { passphrase, minVersion } = tls;
  const [cert, key] = await readBoth(tls);
  const parsed = certificateOf(cert, tls);
  if (!parsed.checkPrivateKey(keyOf(key, tls))) {
    throw wrong('key', `${tls.key} is not the key of the certificate in ${tls.certificate}`);
  }
  const pair = { cert, key, ...(passphrase === undefined ? {} : { passphrase }), minVersion };
  try {
    createSecureContext(pair);
  } catch (error) {
    throw wrong('certificate', `${tls.certificate} cannot be served: ${(error as Error).message}`);
  }
  return { pair, warnings: outOfTime(parsed, tls) };
}

async function readBoth(tls: TlsConfig): Promise<[cert: string, key: string]> {
  const problems: StartupProblem[] = [];
  const read = async (name: 'certificate' | 'key'): Promise<string> => {
    try {
      return await readText(tls[name], MOST_PEM_BYTES);
    } catch (error) {
      const message = `${tls[name]}: ${unreadable(error, 'file')}`;
      problems.push({ where: `server.tls.${name}`, message });
      return '';
    }
  };
  const both: [string, string] = [await read('certificate'), await read('key')];
  if (problems.length > 0) throw new StartupError(problems);
  return both;
}

function certificateOf(text: string, { certificate }: TlsConfig): X509Certificate {
  try {
    if (text.includes('-----BEGIN CERTIFICATE-----')) return new X509Certificate(text);
  } catch {
    // Reported below.
  }
  throw wrong(
    'certificate',
    `${certificate} holds no certificate in PEM form, "-----BEGIN CERTIFICATE-----" and what follows`,
  );
}

function keyOf(text: string, { key, passphrase }: TlsConfig): KeyObject {
  const isEncrypted = text.includes('ENCRYPTED');
  if (isEncrypted && passphrase === undefined) {
    throw wrong('key', `${key} is encrypted: give its passphrase by server.tls.passphrase`);
  }
  try {
    return createPrivateKey({ key: text, ...(passphrase === undefined ? {} : { passphrase }) });
  } catch {
    throw isEncrypted
      ? wrong('passphrase', `${key} cannot be decrypted by it`)
      : wrong(
          'key',
          `${key} holds no private key in PEM form, "-----BEGIN PRIVATE KEY-----" and what follows`,
        );
  }
}

function outOfTime({ validFrom, validTo }: X509Certificate, { certificate }: TlsConfig): string[] {
  const now = Date.now();
  if (Date.parse(validTo) < now) {
    return [`the certificate in ${certificate} has expired: it was valid until ${validTo}`];
  }
  if (Date.parse(validFrom) <= now) return [];
  return [`the certificate in ${certificate} is valid from ${validFrom} on, and not yet`];
}

function wrong(name: 'certificate' | 'key' | 'passphrase', message: string): StartupError {
  return StartupError.at(`server.tls.${name}`, message);
}
