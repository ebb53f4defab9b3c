import type { FetchedResponse } from '../../platform/net/fetch-types.ts';
import type { BrowserTurn } from './browser-turn.ts';
import type { RenderClient } from './render-client.ts';
import { RENDER_LIMITS } from './render-wire.ts';

type RenderedResponse = {
  response: FetchedResponse;
  /** A PNG in base64; null unless one was requested. */
  screenshot: string | null;
};

type RenderOptions = Pick<BrowserTurn, 'renderedUrl' | 'waiting' | 'extras' | 'signal' | 'tenant'> & {
  timeoutMs: number;
};

/** Fetches a page after its scripts, as a response that is read like any other. Throws what `RenderClient` throws. */
export async function fetchRendered(
  client: Pick<RenderClient, 'render'>,
  { renderedUrl: url, timeoutMs, waiting = {}, extras, signal, tenant }: RenderOptions,
): Promise<RenderedResponse> {
  const { min, max } = RENDER_LIMITS.timeoutMs;
  const order = {
    url,
    timeoutMs: Math.min(max, Math.max(min, Math.floor(timeoutMs))),
    ...(waiting.ms === undefined ? {} : { waitMs: Math.min(RENDER_LIMITS.waitMsMax, waiting.ms) }),
    ...(waiting.selector === undefined ? {} : { waitForSelector: waiting.selector }),
    ...(extras?.screenshot === undefined ? {} : { screenshot: extras.screenshot }),
  };
  const { html, screenshot, ...page } = await client.render(order, { signal, tenant });
  // The text is no longer in the charset and the coding of its headers.
  const headers = { ...page.headers, 'content-type': 'text/html; charset=utf-8' };
  return { response: { ...page, headers, body: encodeText(html) }, screenshot };
}

/** Returns the bytes in their own buffer, so that they can be transferred to a thread. */
function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

/** Returns the fragment if scripts use it to tell the pages of a site apart; '' if it names a place on a page. */
export function parseScriptRoute(hash: string): string {
  return /^#!?\//.test(hash) || /^#!./.test(hash) ? hash : '';
}
