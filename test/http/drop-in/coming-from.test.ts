import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { JsonObject } from '../../../src/http/calls/call.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';
import { SCRIPTED } from '../openapi/scripted-operations.ts';
import type { OtherService } from './fields/other-service.ts';
import { OTHER_SERVICES } from './fields-of-others.ts';

/**
 * The page for people who come from another service is written from a table and from what this service answers to every field of it:
 * `UPDATE_DOCS=1 node --test test/http/drop-in/coming-from.test.ts` writes it anew.
 */
const PAGE = 'docs/integrations/coming-from.md';

let fixture: ChargedFixture;
let key: string;
before(async () => {
  fixture = await openChargedFixture(null, { ...SCRIPTED, rendersPages: true });
  ({ apiKey: key } = await fixture.billing.keys.create({ credits: 10_000, label: null }));
});
after(() => fixture.close());

type CallOfOthers = OtherService['calls'][number];
type FieldOfOthers = CallOfOthers['fields'][number];
type Effect = 'used' | 'no effect' | 'refused';

/** Sends a request with one field, and reads from the answer what became of it. */
async function effectOf(call: CallOfOthers, [name, sample]: FieldOfOthers): Promise<Effect> {
  const { status, headers, text } = await send(call, name, sample);
  if (status === 400 || status === 422) return 'refused';
  assert.equal(status, 200, `${call.path} with ${name}: ${text}`);
  const ignored = decodeURIComponent(headers.get('x-ignored-parameters') ?? '').split(', ');
  return ignored.some((one) => `${name}.`.startsWith(`${one}.`)) ? 'no effect' : 'used';
}

function send(call: CallOfOthers, name: string, sample: unknown): Promise<Response & { text: string }> {
  const { method, path, base, inHeaders } = call;
  const given = inHeaders ? base : withField(base, name.split('.'), sample);
  const headers = { 'x-api-key': key, ...(inHeaders ? { [name.toLowerCase()]: String(sample) } : {}) };
  // What the harness answers has these three, and no other is read.
  const { get, post } = fixture.served as unknown as Record<
    'get' | 'post',
    (path: string, ...rest: unknown[]) => Promise<Response & { text: string }>
  >;
  if (method === 'POST') return post(path, given, headers);
  const query = new URLSearchParams(given as Record<string, string>);
  return get(query.size === 0 ? path : `${path}?${query}`, headers);
}

/** The body with a field inside. */
function withField(body: JsonObject, [name = '', ...inner]: string[], sample: unknown): JsonObject {
  if (inner.length === 0) return { ...body, [name]: sample };
  return { ...body, [name]: withField((body[name] ?? {}) as JsonObject, inner, sample) };
}

async function rowOf(call: CallOfOthers, field: FieldOfOthers): Promise<string> {
  const [name, , note] = field;
  const effect = await effectOf(call, field);
  return `| \`${name}\` | ${effect} | ${note ?? ''} |`;
}

async function sectionsOf({ name, address, differs, calls, absent }: OtherService): Promise<string[]> {
  const sections = [`## ${name}`, `Base URL: \`${address}\``, differs.map((one) => `- ${one}`).join('\n')];
  for (const call of calls) {
    const rows: string[] = [];
    for (const field of call.fields) rows.push(await rowOf(call, field));
    const title = `\`${call.method} ${call.path}\``;
    sections.push(`## ${name}: ${title}`);
    sections.push(['| field | here | |', '| --- | --- | --- |', ...rows].join('\n'));
  }
  for (const [what, method, path] of absent) {
    const { status } = await (method === 'GET' ? fixture.served.get(path) : fixture.served.post(path, {}));
    assert.ok(status >= 400 && status < 500, `${what}: ${status}`);
  }
  sections.push(`Not offered: ${absent.map(([what]) => what).join('; ')}.`);
  return sections;
}

const INTRO = [
  '# Coming from Exa, Tavily, Jina, Firecrawl or SearXNG',
  'Point your client to the base URL below and keep the rest of your code. The tables say what this server does with each field that your client may send: it is used, has no effect (and is named in `X-Ignored-Parameters`), or is refused with a message.',
  'This page is written by a test that sends every field.',
];

test('the page says what becomes of every field', async () => {
  const sections: string[] = [];
  for (const service of OTHER_SERVICES) sections.push(...(await sectionsOf(service)));
  const written = `${[...INTRO, ...sections].join('\n\n')}\n`;
  if (process.env.UPDATE_DOCS) writeFileSync(PAGE, written);
  assert.equal(
    readFileSync(PAGE, 'utf8'),
    written,
    'UPDATE_DOCS=1 node --test test/http/drop-in/coming-from.test.ts',
  );
});
