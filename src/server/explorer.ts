import files from '@fastify/static';
import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProtocolError } from '../base/errors.ts';
import { EXPLORER_LINK, EXPLORER_PATH } from './http/browsers.ts';
import { varyingBy } from './http/reply.ts';
import type { FindRoute } from './proxy/routes.ts';

/** Its files, as `npm run build` writes them; the same folder for the compiled program and for its source. */
const FOLDER = fileURLToPath(new URL('../../dist/explorer/', import.meta.url));

/** What its pages may do: run and load what the gateway itself serves, and show what they have read from it (CSP 3). */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  'media-src blob:',
  'frame-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join(';');

const MISSING =
  'the explorer is not available: its files are missing. `npm run build` writes them to dist/explorer';

/**
 * Serves the explorer at `/explore/`, and leads browsers there from `/`. An application that is forwarded at one of these paths comes before it.
 * @param find finds the application that a URL is forwarded to
 * @param folder holds its files; tests pass another
 */
export function serveExplorer(server: FastifyInstance, find: FindRoute, folder = FOLDER): void {
  if (find(EXPLORER_PATH) !== null) return;
  const isBuilt = existsSync(join(folder, 'index.html'));
  const plugin: FastifyPluginCallback = (instance, _options, done) => {
    if (isBuilt) serveFiles(instance, folder);
    else {
      server.log.warn(MISSING);
      instance.get(EXPLORER_PATH, () => {
        throw new ProtocolError('noSuchPath', 'The explorer is not available.');
      });
    }
    done();
  };
  server.register(plugin);
}

function serveFiles(server: FastifyInstance, root: string): void {
  // The plugin marks its routes by a schema that describes nothing.
  server.setValidatorCompiler(() => () => true);
  server.addHook('onRequest', ({ raw }, reply, done) => {
    // The names of all files but the page change with what they hold.
    const isHashed = raw.url?.startsWith(`${EXPLORER_PATH}assets/`) === true;
    void reply.headers({
      'content-security-policy': POLICY,
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: varyingBy('accept-encoding', reply),
    });
    done();
  });
  server.get(EXPLORER_PATH.slice(0, -1), (_request, reply) => reply.redirect(EXPLORER_LINK, 308));
  server.register(files, {
    root,
    prefix: EXPLORER_PATH,
    wildcard: false,
    preCompressed: true,
    decorateReply: false,
    cacheControl: false,
  });
}
