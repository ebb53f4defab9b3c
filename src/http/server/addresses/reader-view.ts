import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { wantsHtml } from '../../calls/wants-html.ts';
import { buildPlayLink } from '../../site/play/plays.ts';
import { extractReaderAddress } from '../request-target.ts';
import { parsePageAddress } from './page-address.ts';

/**
 * Redirects a person who opens `/r/{url}` in a browser to the site's reading page, before anything is counted. Only browsers declare a
 * navigation in Sec-Fetch headers: programs get Markdown whatever they accept.
 */
export function redirectBrowsersToReader(app: FastifyInstance): void {
  app.addHook('onRequest', ({ method, originalUrl, headers }, reply, done) => {
    const behind = method === 'GET' && isOpenedByPerson(headers) ? extractReaderAddress(originalUrl) : null;
    if (behind === null) return done();
    const asked = parsePageAddress(behind);
    const location = buildPlayLink('/read', { url: asked?.url ?? '', query: asked?.question ?? '' });
    reply
      .status(303)
      .headers({ Location: location, 'Cache-Control': 'no-store', Vary: 'Accept, Sec-Fetch-Dest' })
      .send();
  });
}

/** Browsers send these headers on https and on this machine; elsewhere they get Markdown, as programs do. */
function isOpenedByPerson(headers: IncomingHttpHeaders): boolean {
  return (
    headers['sec-fetch-dest'] === 'document' && headers['sec-fetch-mode'] === 'navigate' && wantsHtml(headers)
  );
}
