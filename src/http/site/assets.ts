import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Answer } from '../calls/call.ts';

const YEAR_SECONDS = 31_536_000;

/** A file that pages refer to; its address changes with its content, so that it may be kept for good. */
type Asset = { href: string; answer(): Promise<Answer> };

/** The one style sheet and the one picture of the site. */
export const STYLE: Asset = asset('site.css', 'text/css; charset=utf-8');
export const ICON: Asset = asset('favicon.svg', 'image/svg+xml');

/** A script that stands in its page, and the hash by which the page's policy lets it run and nothing else. */
export type Script = { text: string; hash: string };

/** Copies the new key, takes the proof out of the address, and survives a reload. */
export const SUCCESS_SCRIPT: Script = script('success-page.js');
/** Brings back a page whose proof was taken out of the address before. */
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
