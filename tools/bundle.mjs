// This script bundles the server into a few files in server/dist, because the server would start more slowly from a
// thousand files.
import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { EXTERNALS } from './packing/externals.mjs';
import { ROOT } from './setup.mjs';

const source = join(ROOT, 'server', 'src');

await build({
  entryPoints: [
    join('process', 'start.ts'),
    'main.ts',
    join('cli', 'gatehouse.ts'),
    join('system-log', 'rendering', 'render-thread.ts'),
    join('system-log', 'sealing', 'packing', 'pack-thread.ts'),
  ].map((path) => join(source, path)),
  outdir: join(ROOT, 'server', 'dist'),
  outbase: source,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  external: EXTERNALS,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
});

// The viewer of the API reference is copied as two files, so that our npm package need not depend on the viewer's
// package.
const viewer = join(ROOT, 'server', 'dist', 'viewer');
mkdirSync(viewer, { recursive: true });
const { resolve } = createRequire(join(ROOT, 'server', 'package.json'));
for (const file of ['swagger-ui-dist/swagger-ui-bundle.js', 'swagger-ui-dist/swagger-ui.css']) {
  copyFileSync(resolve(file), join(viewer, basename(file)));
}
