import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Writes each file in its compressed forms, too, so that the gateway need not compress. */
const compressed: Plugin = {
  name: 'compressed',
  generateBundle: {
    // Vite's own plugins still write into chunks here.
    order: 'post',
    async handler(_options, bundle) {
      for (const file of Object.values(bundle)) {
        const source = file.type === 'chunk' ? file.code : file.source;
        const { fileName } = file;
        const emit = (suffix: string, bytes: Uint8Array): string =>
          this.emitFile({ type: 'asset', fileName: fileName + suffix, source: bytes });
        emit('.br', await promisify(brotliCompress)(source));
        emit('.gz', await promisify(gzip)(source));
      }
    },
  },
};

/** Builds the explorer: `src/explorer/` becomes `dist/explorer/`, which the gateway serves at `/explore/`. */
export default defineConfig({
  root: folder('src/explorer'),
  // The page may be behind a proxy that puts a path before the gateway's own.
  base: './',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: folder('dist/explorer'),
    emptyOutDir: true,
    target: 'es2023',
    // The page may run no script of its own, and load nothing by data: URLs.
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  plugins: [compressed],
  logLevel: 'warn',
});
