import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The package with the dependencies of rendering, separate from that of the runtime; a clone with its development dependencies has them
 * already.
 */
const LOCKED = join(import.meta.dirname, '../../runtime/render/package.json');

/** Loads the library that drives the browser; no other process loads it. Throws an error that says how to install it. */
export async function loadPuppeteer(): Promise<typeof import('puppeteer-core')> {
  let path: string;
  try {
    path = createRequire(LOCKED).resolve('puppeteer-core');
  } catch (cause) {
    throw new Error(
      `puppeteer-core is not installed: run npm ci --ignore-scripts --prefix ${dirname(LOCKED)}`,
      { cause },
    );
  }
  return await import(pathToFileURL(path).href);
}
