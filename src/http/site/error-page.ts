import { type Failure, STATUS_OF } from '../../contract/errors.ts';
import type { ErrorFormat } from '../calls/error-format.ts';
import { html } from './html.ts';
import { page } from './layout.ts';

const TITLES: Record<number, string> = {
  400: 'That did not work',
  401: 'This key is unknown',
  404: 'There is nothing here',
  405: 'Not this way',
  409: 'That does not fit',
  413: 'That is too large',
  422: 'Something in it cannot be used',
  500: 'Something went wrong here',
  503: 'Not just now',
};

/** A failure as a page for a person; the request id is for whoever is asked about it. */
export const pageErrorFormat: ErrorFormat = {
  word(failure, { requestId }) {
    const status = STATUS_OF[failure.code];
    const title = TITLES[status] ?? 'That did not work';
    const { body, headers } = page({
      title: `${title} · Sanderling`,
      status,
      main: html`<section class="note-page">
<p class="eyebrow">${status}</p>
<h1>${title}</h1>
${reasonsOf(failure)}
<p><a class="button" href="/">Go to the start page</a></p>
<p class="quiet">Request <code>${requestId}</code></p>
</section>`,
    });
    return { status, body, headers: headers ?? {} };
  },
};

function reasonsOf({ code, message, fields }: Failure): ReturnType<typeof html> {
  if (code === 'internal') return html`<p class="lead">It is not your fault. Try again in a moment.</p>`;
  if (fields.length === 0) return html`<p class="lead">${message}</p>`;
  return html`<ul>${fields.map(({ field, message: reason }) => html`<li><code>${field}</code> ${reason}</li>`)}</ul>`;
}
