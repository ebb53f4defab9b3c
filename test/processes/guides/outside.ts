import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { systemClock } from '../../../src/platform/clock.ts';
import { startDns } from '../../fixtures/dns-server.ts';
import { type FakeStripe, startStripe } from '../../fixtures/stripe/fake-stripe.ts';
import { packedTarOf } from '../../fixtures/tar.ts';
import { startWeb } from '../../fixtures/web.ts';

/**
 * What the guides meet outside the machine, as a process of its own: example.org over TLS at a public address, its name server,
 * a search engine behind the metasearch server, a registry of npm, and Stripe. Arguments: address, key, certificate, file for the variables.
 */

/** The text of the real page. */
const EXAMPLE =
  '<!doctype html><html lang="en"><title>Example Domain</title><body><h1>Example Domain</h1><p>This domain is for use in documentation examples without needing permission. Avoid use in operations.</p><p><a href="https://iana.org/domains/example">Learn more</a></p></body></html>';
const FOUND = {
  results: [
    {
      url: 'https://birds.example.net/sanderling',
      title: 'Sanderling',
      description: 'A small wading bird of sandy beaches, the sanderling.',
    },
  ],
};
const LISTENER_PORT = 12_111;
const REGISTRY_PORT = 8_182;
const HOOKS =
  '# Hooks\n\nA hook that is added to the server runs for every request:\n\n```js\nserver.addHook("onRequest", check);\n```\n';

const [address = '', key = '', certificate = '', variables = ''] = process.argv.slice(2);
const dns = await startDns({ 'example.org': [address] });
await startWeb({
  address: '127.10.0.5',
  port: 8_181,
  fallback: (_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(FOUND)),
});
await startRegistry();
const site = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_, response) =>
  response.setHeader('content-type', 'text/html').end(EXAMPLE),
);
await new Promise<void>((resolve) => site.listen(443, address, resolve));
const stripe = await startStripe({ clock: systemClock });
await listenForStripeTool(stripe);
writeFileSync(
  variables,
  `export DNS_SERVERS=${dns.address} FETCH_ALLOW_PRIVATE=${address}/32 NODE_EXTRA_CA_CERTS=${certificate}\nSTRIPE=${stripe.origin}\n`,
);

/** A registry of npm that has one version of one package. */
async function startRegistry(): Promise<void> {
  const registry = await startWeb({
    address: '127.10.0.6',
    port: REGISTRY_PORT,
    routes: {
      '/fastify/5.1.0': (_, response) =>
        response.end(
          JSON.stringify({
            name: 'fastify',
            version: '5.1.0',
            license: 'MIT',
            dist: { tarball: `${registry.origin}/fastify.tgz` },
          }),
        ),
      '/fastify.tgz': (_, response) => response.end(packedTarOf({ 'package/docs/hooks.md': HOOKS })),
    },
  });
}

/** Stands in for `stripe listen --forward-to`: sends events to the address in the query from then on. */
async function listenForStripeTool({ webhooks }: FakeStripe): Promise<void> {
  await startWeb({
    address: '127.10.0.9',
    port: LISTENER_PORT,
    fallback: ({ url = '' }, response) => {
      const to = new URL(url, 'http://listener').searchParams.get('to');
      webhooks.register({ url: `http://${to}`, secret: 'whsec_fake' });
      webhooks.automatic(true);
      response.end('Ready! Your webhook signing secret is whsec_fake\n');
    },
  });
}
