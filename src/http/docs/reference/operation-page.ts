import { readFileSync } from 'node:fs';
import type { FailureCode } from '../../../contract/errors.ts';
import type { Answer, JsonObject } from '../../calls/call.ts';
import { aboutOf, type Parameter } from '../../calls/operation.ts';
import { allParameters, type Service } from '../../openapi/document.ts';
import { answerSchema, parameterSchema, requestSchema } from '../../openapi/json-schema.ts';
import { failureCodes, responsesOf } from '../../openapi/responses.ts';
import { examplesOf } from '../../programs/programs.ts';
import { shapeOf } from '../../shapes.ts';
import { type Html, html, type Part } from '../../site/html.ts';
import { page } from '../../site/layout.ts';
import { codeBlock, tabs } from '../../site/shell/parts.ts';
import type { Website } from '../../site/shell/site.ts';
import { DOCS_SCRIPT } from '../docs-script.ts';
import { ERROR_NOTES } from '../error-notes.ts';
import type { Described } from './described.ts';
import { type FieldRow, fieldRows } from './field-rows.ts';
import { sdkPrograms } from './sdk-programs.ts';
import { tryForm } from './try-form.ts';

/** A real answer of an operation to its example request. `body`: JSON, or the text of an answer that is not JSON. */
type AnswerExample = { id: string; request: string; body: unknown };

/** By operation; test/http/docs/answer-examples.test.ts writes them from the answers of a real server. */
const ANSWERS: ReadonlyMap<string, AnswerExample> = new Map(
  readFileSync(new URL('answer-examples.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line): AnswerExample => JSON.parse(line))
    .map((example) => [example.id, example]),
);

type PageDeps = Service & { site: Website; sidebar: Html };

/** GET /docs/api/{id}: everything about one operation. */
export function operationPage(described: Described, { site, sidebar, ...service }: PageDeps): Answer {
  const { operation, route, path, group } = described;
  const { terms } = service;
  const aliases = route.paths.slice(1).map((alias) => alias.replace(/:(\w+)/g, '{$1}'));
  return page({
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
<p class="lead">${withCode(aboutOf(operation, terms))}</p>
${programs(described, service)}
${request(described)}
${response(described, terms !== null)}
${errors(described, terms !== null)}
${tryForm(described, { isMetered: terms !== null })}`,
  });
}

function programs({ operation, route, path }: Described, { serviceUrl, terms }: Service): Html | null {
  const samples = examplesOf(operation, { method: route.method, path, serviceUrl, withKey: terms !== null });
  if (samples.length === 0) return null;
  const { id, example } = operation;
  const all = [
    ...samples.map(({ language, code }) => ({ title: language as string, code })),
    ...sdkPrograms({ id, body: example?.body ?? null }, { serviceUrl, withKey: terms !== null }).map(
      ({ library, code }) => ({
        title: library,
        code,
      }),
    ),
  ];
  return html`<h2 id="call">Call it</h2>
${tabs({
  name: 'program',
  legend: 'Language',
  panels: all.map(({ title, code }, place) => ({
    title,
    body: codeBlock({ id: `program-code-${place + 1}`, label: title, code }),
  })),
})}`;
}

function request(described: Described): Html {
  const { operation, route, path } = described;
  const places = { path: 'Path', query: 'Query', header: 'Headers' } as const;
  const parameters = allParameters(operation, { route, path });
  const body = requestSchema(operation);
  const tables = Object.entries(places).flatMap(([place, title]) => {
    const rows = parameters.filter((one) => one.in === place).flatMap(parameterRow);
    return rows.length === 0 ? [] : [html`<h3>${title}</h3>${fieldTable(rows, `${title} of the request`)}`];
  });
  return html`<h2 id="request">Request</h2>
${body === null ? null : html`<h3>Body</h3><p class="quiet">JSON, at most 1 MB. Names may be written in camelCase or snake_case.</p>${fieldTable(fieldRows(body), 'Body of the request')}`}
${tables}
${body === null && tables.length === 0 ? html`<p>No parameters.</p>` : null}`;
}

function parameterRow({ name, required, about, schema }: Parameter): FieldRow[] {
  const json = { ...parameterSchema(schema), description: about };
  return fieldRows({ properties: { [name]: json }, required: required ? [name] : [] }).map((row) => ({
    ...row,
    other: null,
  }));
}

function response({ operation, route, path }: Described, isMetered: boolean): Html {
  const { answer, id } = operation;
  const schemas: Record<string, JsonObject> = {};
  const responses = responsesOf(operation, { route, path, schemas, isMetered }) as Record<
    string,
    { headers?: Record<string, { description: string }>; content?: object }
  >;
  const [status = '200'] = Object.keys(responses).filter((one) => one < '400');
  const { headers = {}, content = {} } = responses[status] ?? {};
  const example = ANSWERS.get(id) ?? null;
  const body = typeof answer === 'string' ? operation.json : answer;
  return html`<h2 id="response">Response</h2>
<p>Status <code>${status}</code>${Object.keys(content).length === 0 ? null : html`, ${Object.keys(content).map((type, place) => html`${place > 0 && ' or '}<code>${type}</code>`)}`}.</p>
${body === undefined ? null : fieldTable(fieldRows(answerSchema(body, { isMetered })), 'Fields of the response')}
<h3>Headers</h3>
${headerTable(headers)}
${example === null ? null : html`<h3>Example</h3><p class="quiet">A real answer to <code>${example.request}</code>.</p>${codeBlock({ id: 'answer-example', label: 'Response', code: shownExample(example.body, isMetered) })}`}`;
}

/** The recorded answer; without what it says of costs where nothing is metered. */
function shownExample(body: unknown, isMetered: boolean): string {
  if (typeof body === 'string') return body;
  const drop = (name: string, value: unknown): unknown =>
    !isMetered && COST_FIELDS.has(name) ? undefined : value;
  return JSON.stringify(body, drop, 2);
}

const COST_FIELDS = new Set(['costDollars', 'credits', 'creditsUsed', 'billed_units', 'usage']);

function headerTable(headers: Record<string, { description: string }>): Html {
  return html`<div class="scroll reference" tabindex="0" role="region" aria-label="Headers of the response"><table>
<thead><tr><th scope="col">Header</th><th scope="col">Meaning</th></tr></thead>
<tbody>${Object.entries(headers).map(([name, { description }]) => html`<tr><th scope="row"><code>${name}</code></th><td>${withCode(description)}</td></tr>`)}</tbody>
</table></div>`;
}

function errors({ operation, route, path }: Described, isMetered: boolean): Html {
  const { format } = shapeOf(path);
  const codes = failureCodes(operation, route, { isMetered });
  const rows = codes
    .map((code): [number, FailureCode] => [format.statusOf(code), code])
    .sort(([one], [other]) => one - other);
  return html`<h2 id="errors">Errors</h2>
<div class="scroll reference" tabindex="0" role="region" aria-label="Errors"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">When, and what to do</th></tr></thead>
<tbody>${rows.map(([status, code]) => {
    const { when, remedy } = ERROR_NOTES[code];
    return html`<tr><td>${status}</td><th scope="row"><code>${code}</code></th><td>${withCode(when)} ${withCode(remedy)}</td></tr>`;
  })}</tbody>
</table></div>`;
}

function fieldTable(rows: FieldRow[], label: string): Html {
  return html`<div class="scroll reference" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map(
    ({ name, other, type, required, about }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${type}</td><td>${required ? html`<strong>Required.</strong> ` : null}${withCode(about)}${other === null ? null : html` <span class="quiet">Also <code>${other}</code>.</span>`}</td></tr>`,
  )}</tbody>
</table></div>`;
}

/** Text between backticks becomes code. */
function withCode(text: string): Part[] {
  return text.split('`').map((part, place) => (place % 2 === 1 ? html`<code>${part}</code>` : part));
}
