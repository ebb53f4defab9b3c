// Runs before `npm pack`: writes the sources with their types removed to dist/, because Node does not remove types below
// node_modules. Lines and columns stay those of the sources. Needs Node 24.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';

const FROM = 'src';
const TO = 'dist';
/** A literal that is the relative path of a source: in an import, or in the URL of a thread's module. */
const SOURCE_PATH = /(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g;

rmSync(TO, { recursive: true, force: true });
for (const entry of readdirSync(FROM, { recursive: true, withFileTypes: true })) {
  const source = join(entry.parentPath, entry.name);
  if (!entry.isFile() || source.endsWith('.test.ts')) continue;
  const target = join(TO, source.slice(FROM.length + 1));
  mkdirSync(dirname(target), { recursive: true });
  if (source.endsWith('.ts')) writeFileSync(target.replace(/ts$/, 'js'), javaScriptOf(source));
  else cpSync(source, target);
}

function javaScriptOf(source) {
  const code = stripTypeScriptTypes(readFileSync(source, 'utf8'));
  return code.replace(SOURCE_PATH, '$1$2.js$1');
}
