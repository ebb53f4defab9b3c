import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FreeRoute } from '../calls/call.ts';
import { createConstantHandler } from '../calls/constant-answer.ts';

const YEAR_SECONDS = 31_536_000;

/** A file that pages link to. Its address changes with its content, so that browsers may cache it forever. */
export type Asset = { path: string; href: string; answer: FreeRoute['handle'] };

/** Creates an asset at `path`. Opened by itself it may run no script: a picture from an operator can contain one. */
export function createAsset(
  path: string,
  { type, content }: { type: string; content: string | Buffer },
): Asset {
  const version = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const headers = {
    'content-type': type,
    'Cache-Control': `public, max-age=${YEAR_SECONDS}, immutable`,
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  };
  const answer = createConstantHandler(() => ({ body: content, headers }));
  return { path, href: `${path}?v=${version}`, answer };
}

/** An inline script, with the hash by which a page's content security policy allows it. */
export type Script = { text: string; hash: string };

/** Loads a script from a file, which is in the folder of the page that runs it. */
export function loadScript(file: URL): Script {
  const text = readFileSync(file, 'utf8');
  return { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` };
}
