import type { Keys } from '../../../billing/keys/keys.ts';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, FreeRoute } from '../../calls/call.ts';
import { assertOwnPage } from '../../calls/operator.ts';
import { formatNumber } from '../amounts.ts';
import { html } from '../html.ts';
import { buildPage } from '../layout.ts';
import { renderCodeBlock } from '../shell/parts.ts';
import type { Website } from '../shell/site.ts';

type FreeKeyDeps = {
  keys: Pick<Keys, 'claimFree'>;
  serviceUrl(): string;
  site: Website;
  publicUrls: readonly string[];
};

/** Handles POST /free-key: claims the free key of the visitor's network and shows it once. Pages of other sites may not claim it. */
export function createFreeKeyPageHandler({
  keys,
  serviceUrl,
  site,
  publicUrls,
}: FreeKeyDeps): FreeRoute['handle'] {
  return async ({ address, headers }) => {
    assertOwnPage(headers, publicUrls);
    try {
      const { apiKey, credits } = await keys.claimFree(address);
      return buildKeyPage({ apiKey, credits, serviceUrl: serviceUrl(), site });
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'free_key_already_issued')) throw error;
      return buildAlreadyIssuedPage(site);
    }
  };
}

function buildKeyPage({
  apiKey,
  credits,
  serviceUrl,
  site,
}: {
  apiKey: string;
  credits: number;
  serviceUrl: string;
  site: Website;
}): Answer {
  const code = `curl '${serviceUrl}/v1/search' \\\n  -H 'x-api-key: ${apiKey}' \\\n  -H 'content-type: application/json' \\\n  -d '{"query": "how do I rotate logs"}'`;
  return buildPage({
    site,
    title: 'Your free key',
    main: html`<section class="note-page">
<p class="eyebrow">${formatNumber(credits)} credits</p>
<h1>Here is your key</h1>
<div class="key-box"><h2 id="key-name">API key</h2>
<p class="key-line"><code id="key" aria-labelledby="key-name" tabindex="0">${apiKey}</code> <button class="copy" type="button" data-copy="key" aria-label="Copy the key">Copy</button></p></div>
<p><strong>Store it somewhere safe now.</strong> It is shown this once; nobody can look it up later, not even us.</p>
${renderCodeBlock({ id: 'first-call', label: 'Try it', code })}
<p class="actions"><a class="button" href="/docs">Read the docs</a> <a class="button second" href="/account">See its credits</a></p>
</section>`,
  });
}

function buildAlreadyIssuedPage(site: Website): Answer {
  return buildPage({
    site,
    title: 'Free key',
    status: 409,
    main: html`<section class="note-page">
<p class="eyebrow">409</p>
<h1>Your network has its free key</h1>
<p class="lead">There is one free key for each network, and yours has been claimed. It was shown when it was claimed and cannot be shown again.</p>
<p class="actions">${site.terms?.sells ? html`<a class="button" href="/pricing">See the packs</a>` : null} <a class="button second" href="/">Go to the start page</a></p>
</section>`,
  });
}
