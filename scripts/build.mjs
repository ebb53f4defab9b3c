// npm run build: bundles the sources into dist/, with source maps, so that a start reads some dozens of files instead of two thousand. Modules
// that threads load by their address stay files of their own.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { stampOf } from '../bin/build-stamp.js';

const FROM = resolve('src');
const TO = resolve('dist');
/** The modules that name their own address, or are named by another: `new URL('./task.ts', import.meta.url)`. */
const OWN_ADDRESS = /\bimport\.meta\.(url|dirname)\b/g;
const NAMED = /['"](\.{1,2}\/[^'"\n]+\.ts)['"](?=,\s*import\.meta\.url)/g;
/** Packages that look for files beside themselves, that are installed only where they are needed, and those that few starts load. */
const NOT_BUNDLED = [
  '@embedpdf/pdfium',
  '@opensearch-project/opensearch',
  'hyparquet',
  'onnxruntime-node',
  'pg',
  'puppeteer-core',
  'stripe',
  'undici',
];

rmSync(TO, { recursive: true, force: true });
const sources = globSync('**/*.ts', { cwd: FROM }).filter((path) => !path.endsWith('.test.ts'));
await build({
  entryPoints: entriesOf(sources).map((path) => join(FROM, path)),
  ...{ outdir: TO, outbase: FROM, chunkNames: 'chunks/[hash]' },
  ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node24' },
  ...{ minifyWhitespace: true, minifySyntax: true },
  ...{ sourcemap: 'linked', sourcesContent: false, legalComments: 'linked', logLevel: 'warning' },
  external: NOT_BUNDLED,
  // Packages of the older module format ask for Node's modules by `require`.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  plugins: [{ name: 'addresses', setup: keepAddresses }],
});
for (const path of globSync('**/*.*', { cwd: FROM }).filter((path) => !path.endsWith('.ts'))) {
  mkdirSync(dirname(join(TO, path)), { recursive: true });
  cpSync(join(FROM, path), join(TO, path));
}
writeFileSync(join(TO, 'stamp.txt'), stampOf(FROM));

function entriesOf(paths) {
  const entries = new Set(['cli.ts']);
  for (const path of paths) {
    const code = readFileSync(join(FROM, path), 'utf8');
    for (const [, named] of code.matchAll(NAMED))
      entries.add(relative(FROM, resolve(FROM, dirname(path), named)));
    // Procedures and tasks give the address of their own module.
    if (/(?<!, |\()\bimport\.meta\.url\b|^ *import\.meta\.url,$/m.test(code)) entries.add(path);
    for (const [, named] of code.matchAll(/<\w+>\('(\.\/[\w-]+-thread\.ts)'\)/g))
      entries.add(relative(FROM, resolve(FROM, dirname(path), named)));
  }
  return [...entries];
}

/** A bundled module keeps the address that it would have as a file of its own. */
function keepAddresses({ onLoad, onResolve }) {
  onResolve({ filter: /^here:/ }, ({ path }) => ({ path: path.slice('here:'.length), namespace: 'here' }));
  onLoad({ filter: /.*/, namespace: 'here' }, () => ({
    // In a folder of its own below dist/, as all parts that are shared.
    contents: "export const root = new URL('../', import.meta.url);",
  }));
  onLoad({ filter: /\.ts$/ }, ({ path }) => {
    if (!path.startsWith(FROM)) return undefined;
    const code = readFileSync(path, 'utf8').replace(
      /(['"])(\.{1,2}\/[^'"\n]+)\.ts\1(?=, import\.meta\.url|\))/g,
      '$1$2.js$1',
    );
    const own = relative(FROM, path).replace(/ts$/, 'js');
    const addressed = code.replace(OWN_ADDRESS, (_, kind) =>
      kind === 'url'
        ? `new URL('${own}', __root).href`
        : `__fileURLToPath(new URL('${dirname(own)}', __root))`,
    );
    if (addressed === code) return { contents: readFileSync(path, 'utf8'), loader: 'ts' };
    const imports =
      "import { root as __root } from 'here:root'; import { fileURLToPath as __fileURLToPath } from 'node:url'; ";
    return { contents: imports + addressed, loader: 'ts', resolveDir: dirname(path) };
  });
}
