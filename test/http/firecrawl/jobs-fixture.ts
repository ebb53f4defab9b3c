import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { createAudit } from '../../../src/billing/audit/audit.ts';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../fixtures/webhook-receiver.ts';
import { type Answered, type RealServed, serveReal } from '../../harness.ts';

export const PAGES = 130;
const LOOKS_MAX = 20_000;

const page = (title: string, links: string[] = []): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>
<p>${`The text of ${title} is about wading birds on sandy beaches. `.repeat(8)}</p></main>
<nav>${links.map((link) => `<a href="${link}">${link}</a>`).join(' ')}</nav></body></html>`;

export const paths = Array.from({ length: PAGES }, (_, at) => `/page/${at}`);

/** What runs during the tests of a file: a site, a receiver of webhooks and the service. */
export let site: FakeWeb;
export let receiver: WebhookReceiver;
export let app: RealServed;

/** Starts them before the tests of a file, and ends them after. */
export function serveJobs(): void {
  before(async () => {
    site = await startWeb({
      address: '127.10.0.1',
      routes: {
        '/': page('Start', [...paths, '/gone']),
        '/small': page('Small', ['/page/1', '/page/2', '/gone', '/secret/1']),
        '/robots.txt': 'user-agent: *\ndisallow: /secret/\n',
        ...Object.fromEntries(paths.map((path) => [path, page(`Page ${path}`, ['/'])])),
      },
    });
    receiver = await startWebhookReceiver('127.10.0.2');
    app = await serveReal({
      FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
      WEBHOOK_ALLOW_PRIVATE: '127.10.0.0/16',
    });
    app.parts.jobs.jobRunner.start();
  });
  after(async () => {
    assert.deepEqual(await createAudit(app.billing)(), []);
    await app.close();
    await receiver.close();
    await site.close();
  });
}

type Key = { authorization: string };
/** A new key with credits. */
export const keyWith = async (credits = 1_000): Promise<{ headers: Key; keyId: string }> => {
  const { apiKey, keyId } = await app.billing.keys.create({ credits, label: null });
  return { headers: { authorization: `Bearer ${apiKey}` }, keyId };
};
/** Starts a job. */
export const started = async (path: string, body: object, headers: Partial<Key> = {}): Promise<Answered> => {
  const answer = await app.post(path, body, headers as Record<string, string>);
  assert.equal(answer.status, 200, answer.text);
  return answer;
};
/** Asks until the job has ended. */
export const ended = async (path: string, headers: Partial<Key> = {}): Promise<Answered['json']> => {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const { status, json, text } = await app.get(path, headers as Record<string, string>);
    assert.equal(status, 200, text);
    if (json.status !== 'scraping') return json;
  }
  assert.fail('the job never ended');
};
/** The addresses of the documents of a job. */
export const urlsOf = (json: Answered['json']): string[] =>
  json.data.map(({ metadata }: { metadata: { url: string } }) => metadata.url);
