import type { HTTPResponse, Page } from 'puppeteer-core';
import { createFetchFailure, type Failure } from '../contract/errors.ts';
import type { RenderedPage } from '../pages/rendering/render-wire.ts';
import { createNotAllowedError } from '../platform/net/network.ts';
import { REFUSAL_HEADER } from '../platform/net/proxy/guarded-proxy.ts';
import { LIMITS } from './render-limits.ts';

type Documents = {
  /** Returns the last document in the page's own frame, and those that redirected to it. Throws where it cannot be read. */
  taken(): Pick<RenderedPage, 'status' | 'headers' | 'redirects'>;
};

/** Records the documents that the main frame of a page goes through: redirects by status, by markup and by script. */
export function recordDocuments(page: Page, onEndless: (failure: Failure) => void): Documents {
  const seen: HTTPResponse[] = [];
  page.on('response', (response) => {
    const request = response.request();
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
    if (seen.length < LIMITS.documentsMax) seen.push(response);
    else
      onEndless(createFetchFailure('too_many_redirects', 'the page goes on to another page again and again'));
  });
  return {
    taken() {
      const last = seen.at(-1);
      if (last === undefined) throw createFetchFailure('protocol', 'the page did not arrive');
      checkDocument(last);
      const redirects = seen.slice(0, -1).map((one) => ({ url: one.url(), headers: one.headers() }));
      return { status: last.status(), headers: last.headers(), redirects };
    },
  };
}

function checkDocument(response: HTTPResponse): void {
  const headers = response.headers();
  const refused = headers[REFUSAL_HEADER];
  if (refused === 'not_allowed')
    throw createNotAllowedError('its host is not on the public network', { afterLookup: true });
  if (refused !== undefined) throw createFetchFailure('connect', 'no connection to the server could be made');
  const type = headers['content-type'] ?? 'text/html';
  const isRead = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type) || response.status() >= 300;
  if (!isRead)
    throw createFetchFailure('unsupported_type', 'a browser is only used for HTML pages', {
      httpStatus: response.status(),
    });
}
