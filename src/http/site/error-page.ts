import { type Failure, STATUS_OF } from '../../contract/errors.ts';
import type { ErrorFormat } from '../calls/error-format.ts';
import { addNextStep } from '../calls/payment-required.ts';
import { html } from './html.ts';
import { buildPage } from './layout.ts';
import type { Website } from './shell/site.ts';

const TITLES: Record<number, string> = {
  400: 'That did not work',
  401: 'This key does not work',
  404: 'Page not found',
  405: 'Method not allowed',
  409: 'That conflicts with your settings',
  413: 'That is too large',
  422: 'Please check your input',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
};

/** Formats failures as pages for people, with the request id for support. */
export const createPageErrorFormat = (site: Website): ErrorFormat => ({
  statusOf: (code) => STATUS_OF[code],
  word(failure, { requestId, baseUrl, topUp, terms }) {
    const status = STATUS_OF[failure.code];
    const title = failure.keyMissing ? 'A key is required' : (TITLES[status] ?? 'That did not work');
    const { body, headers } = buildPage({
      site,
      title,
      status,
      main: html`<section class="note-page">
<p class="eyebrow">${status}</p>
<h1>${title}</h1>
${failure.keyMissing ? html`<p class="lead">${addNextStep(failure, { baseUrl, topUp, terms })}</p>` : renderReasons(failure)}
<p><a class="button" href="/">Go to the start page</a></p>
<p class="quiet">Request <code>${requestId}</code></p>
</section>`,
    });
    return { status, body, headers: headers ?? {} };
  },
});

function renderReasons({ code, message, fields }: Failure): ReturnType<typeof html> {
  if (code === 'internal')
    return html`<p class="lead">This is our fault, not yours. Try again in a moment.</p>`;
  if (fields.length === 0) return html`<p class="lead">${message}</p>`;
  return html`<ul>${fields.map(({ field, message: reason }) => html`<li><code>${field}</code> ${reason}</li>`)}</ul>`;
}
