// npm run build: bundles the sources into dist/, with source maps, so that a start reads some dozens of files instead of two thousand. Modules
// that threads load by their address stay files of their own. Fails where the bundle would lack what the sources name at run time.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { stampOf } from '../bin/build-stamp.js';
import { THREAD_MODULES } from '../src/platform/threads/thread-modules.ts';
import { faultsOfNames } from './named-at-run-time.ts';

const FROM = resolve('src');
const TO = resolve('dist');
const ENTRIES = ['cli', ...THREAD_MODULES];
/** Modules that ask where they are, for data beside them. */
const OWN_ADDRESS = /\bimport\.meta\.(url|dirname)\b/g;
/** Packages that look for files beside themselves, that are installed only where they are needed, and those that few starts load. */
const NOT_BUNDLED = [
  '@embedpdf/pdfium',
  '@opensearch-project/opensearch',
  '@redis/client',
  'hyparquet',
  'hyparquet-writer',
  'onnxruntime-node',
  'pg',
  'puppeteer-core',
  'stripe',
  'undici',
];

const sources = globSync('**/*.ts', { cwd: FROM }).filter((path) => !path.endsWith('.test.ts'));
failOn(sources.flatMap((path) => faultsOfNames(path, readFileSync(join(FROM, path), 'utf8'), FROM)));

rmSync(TO, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ENTRIES.map((path) => join(FROM, `${path}.ts`)),
  ...{ outdir: TO, outbase: FROM, chunkNames: 'chunks/[hash]' },
  ...{ bundle: true, metafile: true, splitting: true, format: 'esm', platform: 'node', target: 'node24' },
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
failOn([
  ...ENTRIES.filter((path) => !existsSync(join(TO, `${path}.js`))).map(
    (path) => `dist/${path}.js is missing`,
  ),
  ...commonModulesImportedLater(metafile),
]);
writeFileSync(join(TO, 'stamp.txt'), stampOf(FROM));

/** A bundle gives a module of the older format that is imported on demand no exports but `default`: such a package is not bundled. */
function commonModulesImportedLater({ inputs }) {
  return Object.entries(inputs).flatMap(([path, { imports }]) =>
    imports
      .filter((one) => one.kind === 'dynamic-import' && inputs[one.path]?.format === 'cjs')
      .map((one) => `${path} imports ${one.path} on demand: its package belongs into NOT_BUNDLED`),
  );
}

function failOn(faults) {
  if (faults.length === 0) return;
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exit(1);
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
    const code = readFileSync(path, 'utf8');
    const own = relative(FROM, path).replace(/ts$/, 'js');
    const addressed = code.replace(OWN_ADDRESS, (_, kind) =>
      kind === 'url'
        ? `new URL('${own}', __root).href`
        : `__fileURLToPath(new URL('${dirname(own)}', __root))`,
    );
    if (addressed === code) return { contents: code, loader: 'ts' };
    const imports =
      "import { root as __root } from 'here:root'; import { fileURLToPath as __fileURLToPath } from 'node:url'; ";
    return { contents: imports + addressed, loader: 'ts', resolveDir: dirname(path) };
  });
}
