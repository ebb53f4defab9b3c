import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { composeLibraries } from '../../src/app/compose-libraries.ts';
import { choosePaymentProvider } from '../../src/app/compose-payments.ts';
import { checkEgress } from '../../src/cli/doctor/check-egress.ts';
import { checkModel } from '../../src/cli/doctor/check-model.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { startDns } from '../fixtures/dns-server.ts';
import { startSquid, WITHOUT_PROXIES } from '../fixtures/proxies.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { startWeb } from '../fixtures/web.ts';
import { startWebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { serveReal } from '../harness.ts';

const SITE = '127.10.0.1';
const NAMES = ['pages', 'search', 'hooks', 'files', 'stripe', 'npm', 'model'];
const PAGE = `<title>Waders</title><h1>Waders</h1><p>${'The sanderling runs along the edge of the waves. '.repeat(20)}`;

const NO_CHOICE = { all: false, dev: false, only: [], skip: [], keyIds: [] };

/** What each caller asks, with a host of its own that says in the proxy's log who came by. */
describe('every call to the outside', { skip: WITHOUT_PROXIES }, () => {
  test('takes the way of the settings, and doctor says so', async (t) => {
    const hosts = Object.fromEntries(NAMES.map((name) => [`${name}.world`, SITE]));
    const [squid, dns, web, receiver] = await Promise.all([
      startSquid({ hosts }),
      startDns(Object.fromEntries(Object.keys(hosts).map((name) => [name, [SITE]]))),
      startWeb({
        address: SITE,
        routes: { '/': PAGE, '/search': (_request, response) => response.end('{"results":[]}') },
      }),
      startWebhookReceiver(SITE),
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'egress-callers-'));
    t.after(async () => {
      await Promise.all([squid.close(), dns.close(), web.close(), receiver.close()]);
      rmSync(folder, { recursive: true, force: true });
    });
    const server = await serveReal({
      EGRESS_PROXY: `http://127.0.0.1:${squid.port}`,
      DNS_SERVERS: dns.address,
      FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
      WEBHOOK_ALLOW_PRIVATE: '127.10.0.0/16',
      RECALL: 'index,searxng',
      SEARXNG_URL: web.as('search.world'),
      MODEL_URL: `${web.as('model.world')}/v1`,
      MODEL_NAME: 'a-model',
      PAYMENTS: 'stripe',
      STRIPE_SECRET_KEY: 'sk_test_fake',
      STRIPE_WEBHOOK_SECRET: 'whsec_fake',
      STRIPE_API_BASE: web.as('stripe.world'),
    });
    server.parts.jobs.jobRunner.start();
    const owner = await server.owner();
    const { services } = server;
    const { config } = services;

    const read = await owner.get(`/r/${web.as('pages.world')}/`);
    assert.equal(read.status, 200, read.text);
    await owner.post('/v1/search', { query: 'where the sanderling runs' });
    const crawl = await owner.post('/v2/crawl', {
      url: `${web.as('pages.world')}/`,
      limit: 1,
      webhook: receiver.url.replace(SITE, 'hooks.world'),
    });
    assert.equal(crawl.status, 200, crawl.text);
    await receiver.next(({ json }) => json.type === 'crawl.completed');
    await services.network.fetch({ url: `${web.as('files.world')}/import.jsonl` });
    const { provider } = await choosePaymentProvider(config, {
      ledgerStore: server.billing.ledgerStore,
      clock: systemClock,
      siteUrl: () => server.address,
    });
    await assert.rejects(provider.getCheckout('cs_none'));
    const libraries = composeLibraries(services, {
      env: { HOME: folder },
      folder,
      registries: [`npm=${web.as('npm.world')}/npm`],
      trustedHosts: [],
      makeReference: null,
    });
    const { problems } = await libraries.add(['npm:left-pad'], NO_CHOICE, {
      signal: AbortSignal.timeout(60_000),
      onEvent: () => {},
    });
    assert.equal(problems.length, 1, 'the registry has no such package');
    await libraries.close();
    await checkModel(config).catch(() => {});
    const { mark, text } = checkEgress(config);
    assert.equal(mark, 'ok');
    assert.match(
      text,
      /^pages, rendering, webhooks, imports and registries, searxng, the model, payments: through http:/,
    );
    await server.close();

    // A tunnel is logged when it ends. The hosts that the operator named go to the proxy by name.
    for (const name of ['search', 'stripe', 'npm', 'model'])
      await waitFor(() => squid.asked().some((line) => line.includes(`${name}.world`)));
    const judged = squid
      .asked()
      .filter((line) => line.startsWith(`CONNECT ${SITE}:`))
      .map((line) => line.split(':').at(-1));
    assert.deepEqual(new Set(judged), new Set([String(web.port), new URL(receiver.url).port]));
  });
});
