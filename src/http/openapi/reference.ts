import { STATUS_OF } from '../../contract/errors.ts';
import type { Answer, Route } from '../calls/call.ts';
import { aboutOf, type Operation } from '../calls/operation.ts';
import type { Terms } from '../calls/terms.ts';
import { examplesOf } from '../programs/programs.ts';
import { type Html, html, type Part } from '../site/html.ts';
import { page } from '../site/layout.ts';
import type { Website } from '../site/shell/site.ts';
import { operationOf, type Service } from './document.ts';
import { type FieldLine, fieldLines } from './fields.ts';

type Described = { operation: Operation; route: Route; path: string };

/** GET /docs: the API reference for people, made from the same source as /openapi.json. */
export function referencePage(routes: readonly Route[], service: Service & { site: Website }): Answer {
  const { terms } = service;
  const described = routes.flatMap((route): Described[] => {
    const operation = operationOf(route);
    return operation === null ? [] : [{ operation, route, path: operation.path ?? route.paths[0] ?? '' }];
  });
  return page({
    site: service.site,
    title: 'API reference',
    place: '/docs',
    shared: true,
    main: html`<section class="intro">
<h1>API reference</h1>
<p class="lead">JSON over HTTP. Field names may be camelCase or snake_case, unknown fields are ignored, and null counts as absent.</p>
<p>${terms === null ? null : keysIn(terms)}For programs: <a href="/openapi.json">openapi.json</a> and <a href="/llms.txt">llms.txt</a>.</p>
<p>For applications that already speak to another service: <a href="/docs/integrations">integrations</a>.</p>
</section>
${contents(described)}
${described.map((one) => section(one, service))}`,
  });
}

function keysIn({ keylessPerDay }: Terms): Html {
  return html`Send your key in <code>Authorization: Bearer</code> or <code>x-api-key</code>; ${keylessPerDay === 0 ? 'every call needs one' : 'without one you use the day’s free requests'}. Every response to a call that costs credits reports how many are left in <code>X-Credits-Remaining</code>. `;
}

function contents(described: Described[]): Html {
  return html`<nav aria-label="Operations"><ul>${described.map(
    ({ operation, route, path }) =>
      html`<li><a href="#${operation.id}">${operation.summary}</a> <code class="quiet">${route.method} ${path}</code></li>`,
  )}</ul></nav>`;
}

function section({ operation, route, path }: Described, { serviceUrl, terms }: Service): Html {
  const { id, summary, body, parameters = [], errors } = operation;
  const aliases = route.paths.slice(1);
  const fields = [
    ...parameters.map((one) => ({
      name: one.name,
      type: one.in,
      required: one.required ?? false,
      about: one.about,
    })),
    ...(body === undefined ? [] : fieldLines(operation)),
  ];
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${summary}</h2>
<p><code>${route.method} ${path}</code>${aliases.length === 0 ? null : html` <span class="quiet">also ${aliases.join(', ')}</span>`}</p>
<p>${withCode(aboutOf(operation, terms))}</p>
${fields.length === 0 ? null : fieldTable(fields, `Fields of ${route.method} ${path}`)}
${errors.length === 0 ? null : html`<p>Errors: ${errors.map((code, place) => html`${place === 0 ? null : ', '}<code>${STATUS_OF[code]} ${code}</code>`)}</p>`}
${examplesOf(operation, { method: route.method, path, serviceUrl, withKey: terms !== null }).map(
  ({ language, code }) =>
    html`<details><summary>${language}</summary><pre><code>${code}</code></pre></details>`,
)}
</section>`;
}

function fieldTable(fields: FieldLine[], label: string): Html {
  return html`<div class="scroll reference" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>${fields.map(
    ({ name, type, required, about }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${type}</td><td>${required ? html`<strong>Required.</strong> ` : null}${withCode(about)}</td></tr>`,
  )}</tbody>
</table></div>`;
}

/** Text between backticks becomes code. */
function withCode(text: string): Part[] {
  return text.split('`').map((part, place) => (place % 2 === 1 ? html`<code>${part}</code>` : part));
}
