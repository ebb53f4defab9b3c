import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { checkEgress } from '../../src/render/serve-render.ts';
import { programPath } from '../fixtures/program.ts';
import { PUBLIC } from '../fixtures/rendering.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { startBrowser as startChromium, WITHOUT_BROWSER } from './chromium.ts';

const TOKEN = 'a secret of both processes';

/** Starts `sanderling render` on a free port; the lines that it printed, and its address. */
async function startProcess(environment: Record<string, string>) {
  const child = spawn(process.execPath, [programPath(), 'render'], {
    env: { PATH: process.env.PATH, RENDER_PORT: '0', FETCH_ALLOW_PRIVATE: PUBLIC, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const started = Promise.withResolvers<string | null>();
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      const [, address] = /renders pages on (\S+)/.exec(line) ?? [];
      if (address !== undefined) started.resolve(address);
    });
  child.once('exit', () => started.resolve(null));
  return { child, lines, address: await started.promise };
}

async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await once(child, 'exit');
  }
  return child.exitCode;
}

describe('sanderling render', { skip: WITHOUT_BROWSER }, () => {
  let web: FakeWeb;
  let running: Awaited<ReturnType<typeof startProcess>>;
  const ask = (path: string, { body, token = TOKEN }: { body?: unknown; token?: string } = {}) =>
    fetch(`${running.address}${path}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });

  before(async () => {
    const text = 'Words that only a script writes. '.repeat(10);
    web = await startWeb({
      routes: {
        '/': `<div id="app"></div><script>document.getElementById('app').textContent = '${text}'</script>`,
        '/slow': '<script>setInterval(() => document.body.append("more "), 20)</script>',
      },
    });
    // Where a container forbids its sandbox, the operator of the container says so.
    running = await startProcess({ RENDER_TOKEN: TOKEN });
    if (running.address === null)
      running = await startProcess({ RENDER_TOKEN: TOKEN, RENDER_SANDBOX: 'off' });
    assert.notEqual(running.address, null, running.lines.join('\n'));
  });
  after(async () => {
    await end(running.child);
    await web.close();
  });

  test('renders a page for a client with the token', async () => {
    const response = await ask('/render', { body: { url: `${web.origin}/`, timeoutMs: 15_000 } });
    assert.equal(response.status, 200);
    const page = (await response.json()) as { html: string; status: number };
    assert.match(page.html, /Words that only a script writes/);
    assert.equal(page.status, 200);
  });

  test('says what it runs', async () => {
    const health = await (await ask('/healthz')).json();
    assert.match(String((health as { browser: string }).browser), /^Chromium \d+/);
  });

  test('refuses a client with another token', async () => {
    for (const path of ['/healthz', '/render']) {
      const response = await ask(path, { token: 'another', ...(path === '/render' ? { body: {} } : {}) });
      assert.equal(response.status, 403);
    }
  });

  test('refuses what is no order: flags, scripts and proxies are nobody else’s', async () => {
    const url = `${web.origin}/`;
    for (const body of [
      {},
      { url, timeoutMs: 60_000 },
      { url, timeoutMs: 5_000, args: ['--no-sandbox'] },
      { url, timeoutMs: 5_000, script: 'alert(1)' },
      { url, timeoutMs: 5_000, proxy: 'http://127.0.0.1:1' },
    ])
      assert.equal((await ask('/render', { body })).status, 422, JSON.stringify(body));
    assert.equal((await ask('/elsewhere')).status, 404);
  });

  test('does not run as root', () => {
    const status = readFileSync(`/proc/${running.child.pid}/status`, 'utf8');
    assert.doesNotMatch(status, /^Uid:\s.*\b0\b/m);
  });

  test('does not start without a token', async () => {
    const { address, lines } = await startProcess({});
    assert.equal(address, null);
    assert.match(lines.join('\n'), /RENDER_TOKEN: is missing/);
  });

  test('does not start without a Chromium, or as root by name', async () => {
    const missing = await startProcess({ RENDER_TOKEN: TOKEN, RENDER_CHROMIUM: '/nowhere/chromium' });
    assert.equal(missing.address, null);
    assert.match(missing.lines.join('\n'), /RENDER_CHROMIUM: \/nowhere\/chromium does not exist/);
    if (process.getuid?.() !== 0) return;
    const root = await startProcess({ RENDER_TOKEN: TOKEN, RENDER_USER: 'root' });
    assert.equal(root.address, null);
    assert.match(root.lines.join('\n'), /must not run as root/);
  });

  test('finishes what it renders when it is told to end, and takes nothing new', async () => {
    const slow = ask('/render', { body: { url: `${web.origin}/slow`, timeoutMs: 4_000 } });
    await untilHit(web, '/slow');
    const ended = once(running.child, 'exit');
    running.child.kill('SIGTERM');
    assert.equal((await slow).status, 200);
    assert.deepEqual(await ended, [0, null]);
  });
});

describe('the check before the first page', { skip: WITHOUT_BROWSER }, () => {
  test('finds a browser that lets pages past the proxy', async (t) => {
    const browser = await startChromium();
    t.after(() => browser.close());
    await assert.rejects(checkEgress(browser, 'http://127.0.0.1:9'), /past the proxy, so it is not used/);
  });
});

async function untilHit(web: FakeWeb, path: string): Promise<void> {
  while (web.hits(path) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
