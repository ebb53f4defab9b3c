import { readFileSync } from 'node:fs';
import type { FailureCode } from '../../../contract/errors.ts';
import type { Answer, JsonObject } from '../../calls/call.ts';
import { describeOperation, type Parameter } from '../../calls/operation.ts';
import { listParameters, type Service } from '../../openapi/document.ts';
import { buildAnswerSchema, buildParameterSchema, buildRequestSchema } from '../../openapi/json-schema.ts';
import { buildResponses, listFailureCodes } from '../../openapi/responses.ts';
import { buildExamples } from '../../programs/programs.ts';
import { findShape } from '../../shapes.ts';
import { type Html, html, type Part } from '../../site/html.ts';
import { buildPage } from '../../site/layout.ts';
import { renderCodeBlock, renderTabs } from '../../site/shell/parts.ts';
import type { Website } from '../../site/shell/site.ts';
import { ERROR_NOTES } from '../error-notes.ts';
import { DOCS_SCRIPT } from '../overview-page.ts';
import { buildFieldRows, type FieldRow } from './field-rows.ts';
import { buildSdkPrograms } from './sdk-programs.ts';
import type { DocumentedOperation } from './tried-page.ts';

/** A real answer of an operation to its example request. `body` is JSON, or the text of an answer that is not JSON. */
type AnswerExample = { id: string; request: string; body: unknown };

/** Answers by operation id. test/http/docs/answer-examples.test.ts records them from a real server. */
const ANSWERS: ReadonlyMap<string, AnswerExample> = new Map(
  readFileSync(new URL('answer-examples.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line): AnswerExample => JSON.parse(line))
    .map((example) => [example.id, example]),
);

type OperationPageDeps = Service & { site: Website; sidebar: Html };

/** Builds GET /docs/api/{id}, the reference of one operation. */
export function buildOperationPage(
  described: DocumentedOperation,
  { site, sidebar, ...service }: OperationPageDeps,
): Answer {
  const { operation, route, path, group } = described;
  const { terms } = service;
  const aliases = route.paths.slice(1).map((alias) => alias.replace(/:(\w+)/g, '{$1}'));
  return buildPage({
    site,
    title: operation.summary,
    place: '/docs',
    shared: true,
    connects: true,
    scripts: [DOCS_SCRIPT],
    sidebar: { title: 'Documentation', links: sidebar },
    main: html`<p class="eyebrow">${group}</p>
<h1>${operation.summary}</h1>
<p class="endpoint"><span class="badge">${route.method}</span> <code>${path}</code></p>
${aliases.length === 0 ? null : html`<p class="quiet">Also at ${aliases.map((alias, place) => html`${place > 0 && ', '}<code>${alias}</code>`)}.</p>`}
<p class="lead">${renderCode(describeOperation(operation, terms))}</p>
${renderPrograms(described, service)}
${renderRequest(described)}
${renderResponse(described, terms !== null)}
${renderErrors(described, terms !== null)}
${renderTryForm(described, { isMetered: terms !== null })}`,
  });
}

function renderPrograms(
  { operation, route, path }: DocumentedOperation,
  { serviceUrl, terms }: Service,
): Html | null {
  const samples = buildExamples(operation, {
    method: route.method,
    path,
    serviceUrl,
    withKey: terms !== null,
  });
  if (samples.length === 0) return null;
  const { id, example } = operation;
  const all = [
    ...samples.map(({ language, code }) => ({ title: language as string, code })),
    ...buildSdkPrograms({ id, body: example?.body ?? null }, { serviceUrl, withKey: terms !== null }).map(
      ({ library, code }) => ({
        title: library,
        code,
      }),
    ),
  ];
  return html`<h2 id="call">Call it</h2>
${renderTabs({
  name: 'program',
  legend: 'Language',
  panels: all.map(({ title, code }, place) => ({
    title,
    body: renderCodeBlock({ id: `program-code-${place + 1}`, label: title, code }),
  })),
})}`;
}

function renderRequest(described: DocumentedOperation): Html {
  const { operation, route, path } = described;
  const places = { path: 'Path', query: 'Query', header: 'Headers' } as const;
  const parameters = listParameters(operation, { route, path });
  const body = buildRequestSchema(operation);
  const tables = Object.entries(places).flatMap(([place, title]) => {
    const rows = parameters.filter((one) => one.in === place).flatMap(buildParameterRows);
    return rows.length === 0
      ? []
      : [html`<h3>${title}</h3>${renderFieldTable(rows, `${title} of the request`)}`];
  });
  return html`<h2 id="request">Request</h2>
${body === null ? null : html`<h3>Body</h3><p class="quiet">JSON, at most 1 MB. Names may be written in camelCase or snake_case.</p>${renderFieldTable(buildFieldRows(body), 'Body of the request')}`}
${tables}
${body === null && tables.length === 0 ? html`<p>No parameters.</p>` : null}`;
}

function buildParameterRows({ name, required, about, schema }: Parameter): FieldRow[] {
  const json = { ...buildParameterSchema(schema), description: about };
  return buildFieldRows({ properties: { [name]: json }, required: required ? [name] : [] }).map((row) => ({
    ...row,
    other: null,
  }));
}

function renderResponse({ operation, route, path }: DocumentedOperation, isMetered: boolean): Html {
  const { answer, id } = operation;
  const schemas: Record<string, JsonObject> = {};
  const responses = buildResponses(operation, { route, path, schemas, isMetered }) as Record<
    string,
    { headers?: Record<string, { description: string }>; content?: object }
  >;
  const [status = '200'] = Object.keys(responses).filter((one) => one < '400');
  const { headers = {}, content = {} } = responses[status] ?? {};
  const example = ANSWERS.get(id) ?? null;
  const body = typeof answer === 'string' ? operation.json : answer;
  return html`<h2 id="response">Response</h2>
<p>Status <code>${status}</code>${Object.keys(content).length === 0 ? null : html`, ${Object.keys(content).map((type, place) => html`${place > 0 && ' or '}<code>${type}</code>`)}`}.</p>
${body === undefined ? null : renderFieldTable(buildFieldRows(buildAnswerSchema(body, { isMetered })), 'Fields of the response')}
<h3>Headers</h3>
${renderHeaderTable(headers)}
${example === null ? null : html`<h3>Example</h3><p class="quiet">A real answer to <code>${example.request}</code>.</p>${renderCodeBlock({ id: 'answer-example', label: 'Response', code: formatExample(example.body, isMetered) })}`}`;
}

/** Formats a recorded answer. Where nothing is metered, its fields about costs are left out. */
function formatExample(body: unknown, isMetered: boolean): string {
  if (typeof body === 'string') return body;
  const drop = (name: string, value: unknown): unknown =>
    !isMetered && COST_FIELDS.has(name) ? undefined : value;
  return JSON.stringify(body, drop, 2);
}

const COST_FIELDS = new Set(['costDollars', 'credits', 'creditsUsed', 'billed_units', 'usage']);

function renderHeaderTable(headers: Record<string, { description: string }>): Html {
  return html`<div class="scroll reference" tabindex="0" role="region" aria-label="Headers of the response"><table>
<thead><tr><th scope="col">Header</th><th scope="col">Meaning</th></tr></thead>
<tbody>${Object.entries(headers).map(([name, { description }]) => html`<tr><th scope="row"><code>${name}</code></th><td>${renderCode(description)}</td></tr>`)}</tbody>
</table></div>`;
}

function renderErrors({ operation, route, path }: DocumentedOperation, isMetered: boolean): Html {
  const { format } = findShape(path);
  const codes = listFailureCodes(operation, route, { isMetered });
  const rows = codes
    .map((code): [number, FailureCode] => [format.statusOf(code), code])
    .sort(([one], [other]) => one - other);
  return html`<h2 id="errors">Errors</h2>
<div class="scroll reference" tabindex="0" role="region" aria-label="Errors"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">When, and what to do</th></tr></thead>
<tbody>${rows.map(([status, code]) => {
    const { when, remedy } = ERROR_NOTES[code];
    return html`<tr><td>${status}</td><th scope="row"><code>${code}</code></th><td>${renderCode(when)} ${renderCode(remedy)}</td></tr>`;
  })}</tbody>
</table></div>`;
}

function renderFieldTable(rows: FieldRow[], label: string): Html {
  return html`<div class="scroll reference" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map(
    ({ name, other, type, required, about }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${type}</td><td>${required ? html`<strong>Required.</strong> ` : null}${renderCode(about)}${other === null ? null : html` <span class="quiet">Also <code>${other}</code>.</span>`}</td></tr>`,
  )}</tbody>
</table></div>`;
}

/** Renders text between backticks as code. */
function renderCode(text: string): Part[] {
  return text.split('`').map((part, place) => (place % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** Renders a form that calls the operation: in place with scripts, on a page of its own without them. */
function renderTryForm(
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
