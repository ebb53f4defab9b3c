import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/app/config.ts';
import { makeCertificate } from '../fixtures/certificates.ts';
import { startSquid, WITHOUT_PROXIES } from '../fixtures/proxies.ts';
import { startRendering } from '../fixtures/rendering.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { startWeb } from '../fixtures/web.ts';
import { WITHOUT_BROWSER } from './chromium.ts';

const SITE = '127.10.0.1';
const NAME = 'open.world';

describe('the browser goes the operator’s way', { skip: WITHOUT_BROWSER || WITHOUT_PROXIES }, () => {
  for (const judges of ['on', 'off'] as const)
    test(`over http and https, with an authority of the operator; names are ${judges === 'on' ? 'given to the proxy' : 'judged here'}`, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'render-egress-'));
      const login = { user: 'svc', password: 'secret' };
      const [certificate, squid] = await Promise.all([
        makeCertificate(folder, [NAME]),
        startSquid({ hosts: { [NAME]: SITE }, login }),
      ]);
      const seen: unknown[] = [];
      const web = await startWeb({
        address: SITE,
        routes: {
          '/': ({ headers }, response) => {
            seen.push(headers['proxy-authorization']);
            response.setHeader('content-type', 'text/html');
            response.end('<p id="here"></p><script>here.textContent = "made by " + "a script"</script>');
          },
        },
      });
      const secure = createServer(certificate, (_request, response) => {
        response.setHeader('content-type', 'text/html').end('<p>read in secret</p>');
      });
      await new Promise<void>((resolve) => secure.listen(0, SITE, resolve));
      t.after(async () => {
        secure.closeAllConnections();
        secure.close();
        await Promise.all([squid.close(), web.close()]);
        rmSync(folder, { recursive: true, force: true });
      });
      const { egress } = readConfig({
        EGRESS_PROXY: `http://svc:secret@127.0.0.1:${squid.port}`,
        EGRESS_PROXY_JUDGES: judges,
        EGRESS_CA_FILE: certificate.authorityFile,
      });
      assert.ok(egress !== null);
      const renderer = await startRendering(t, { egress, resolve: async () => [SITE] });
      const { port } = secure.address() as AddressInfo;
      const render = (url: string) =>
        renderer.render({ url, timeoutMs: 20_000 }, new AbortController().signal);
      assert.match((await render(`${web.as(NAME)}/`)).html, /made by a script/);
      assert.match((await render(`https://${NAME}:${port}/`)).html, /read in secret/);
      assert.deepEqual(new Set(seen), new Set([undefined]));
      const wanted =
        judges === 'on'
          ? [`GET ${web.as(NAME)}/`, `CONNECT ${NAME}:${port}`]
          : [`CONNECT ${SITE}:${web.port}`, `CONNECT ${SITE}:${port}`];
      // A tunnel is logged when it ends.
      await waitFor(() => wanted.every((line) => squid.asked().includes(line)));
    });
});
