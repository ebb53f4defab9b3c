import { type Html, html } from '../../site/html.ts';
import type { DocumentedOperation } from './described.ts';

/** Renders a form that calls the operation: in place with scripts, on a page of its own without them. */
export function renderTryForm(
  { operation, route, path }: DocumentedOperation,
  { isMetered }: { isMetered: boolean },
): Html | null {
  const { example, body, answer, id } = operation;
  const isRunByPages = body === undefined || route.callers === 'payer';
  if (answer === 'redirect' || example === undefined || !isRunByPages) return null;
  const [address = '', query = ''] = (example.path ?? path).split('?');
  return html`<h2 id="try">Try it</h2>
<form class="panel try" method="${body === undefined ? 'get' : 'post'}" action="${body === undefined ? address : `/docs/api/${id}`}" data-try="${address}" data-method="${route.method}"${isMetered && html` data-left="X-Credits-Remaining"`}>
${body === undefined ? renderQueryInputs(query) : renderBodyInput(example.body ?? {})}
${isMetered && html`<div class="field"><label for="try-key">Key</label><input id="try-key" type="password" autocomplete="off"${body === undefined ? null : html` name="key"`} data-key="x-api-key" placeholder="Without one, a free request is used"></div>`}
<p class="actions"><button class="button" type="submit">Send</button></p>
<div class="try-answer" aria-live="polite" hidden><p class="quiet" data-status></p><pre tabindex="0"><code data-answer></code></pre></div>
</form>`;
}

function renderQueryInputs(query: string): Html[] {
  return [...new URLSearchParams(query)].map(
    ([name, value]) =>
      html`<div class="field"><label for="try-${name}">${name}</label><input id="try-${name}" name="${name}" value="${value}"></div>`,
  );
}

function renderBodyInput(body: object): Html {
  const text = JSON.stringify(body, null, 2);
  return html`<div class="field"><label for="try-body">Body</label><textarea id="try-body" name="body" rows="${Math.min(14, text.split('\n').length + 1)}" spellcheck="false" data-body>${text}</textarea></div>`;
}
