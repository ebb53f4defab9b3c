import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Answer } from '../calls/call.ts';

const YEAR_SECONDS = 31_536_000;

/** A file that pages link to. Its address changes with its content, so that browsers may keep it forever. */
type Asset = { href: string; answer(): Promise<Answer> };

/** The style sheet and the icon of the site. */
export const STYLE: Asset = asset('site.css', 'text/css; charset=utf-8');
export const ICON: Asset = asset('favicon.svg', 'image/svg+xml');

/** An inline script, and the hash with which the page's content policy allows it alone. */
export type Script = { text: string; hash: string };

/** Copies the new key, removes the credentials from the address, and survives a reload. */
export const SUCCESS_SCRIPT: Script = script('success-page.js');
/** Restores a page whose credentials were removed from its address. */
export const RETURN_SCRIPT: Script = script('success-return.js');

function asset(name: string, type: string): Asset {
  const text = textOf(name);
  const version = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const headers = { 'content-type': type, 'Cache-Control': `public, max-age=${YEAR_SECONDS}, immutable` };
  const body = Buffer.from(text);
  return { href: `/${name}?v=${version}`, answer: async () => ({ body, headers }) };
}

function script(name: string): Script {
  const text = textOf(name);
  return { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` };
}

function textOf(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
