import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** An engine of the metasearch server: `!shortcut` in a query asks it alone, a query without asks those that are `isDefault`. */
export type SearxEngine = { name: string; shortcut: string; searchUrl: string; isDefault: boolean };

export type Searx = { readonly baseUrl: string; close(): Promise<void> };

/** Where Debian puts what its pages are made of. */
const RESOURCES = '/usr/share/python3-searx';
const READY_MS_MAX = 60_000;
const POLL_MS = 100;
const STOP_MS_MAX = 5_000;

/**
 * Where Debian's `searx` package puts its server; null where it is not installed. Under continuous integration (`CI` is set)
 * nothing is skipped: there it throws.
 */
export function searxCommand(): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const command = join(folder, 'searx-run');
    try {
      accessSync(command, constants.X_OK);
      return command;
    } catch {
      // Not in this folder.
    }
  }
  if (process.env.CI) throw new Error('searx-run is not installed, and CI is set');
  return null;
}

/** Starts a real metasearch server on loopback, whose engines are JSON addresses with `{query}` in them. */
export async function startSearx(command: string, engines: readonly SearxEngine[]): Promise<Searx> {
  const folder = mkdtempSync(join(tmpdir(), 'searx-'));
  const port = await freePort();
  const settings = join(folder, 'settings.yml');
  // JSON is YAML.
  writeFileSync(settings, JSON.stringify(settingsOf(port, engines)));
  const server = spawn(command, { env: { ...process.env, SEARX_SETTINGS_PATH: settings }, stdio: 'ignore' });
  const baseUrl = `http://127.0.0.1:${port}`;
  const close = async (): Promise<void> => {
    await stop(server);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(server, baseUrl);
  } catch (error) {
    await close();
    throw error;
  }
  return { baseUrl, close };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

async function untilReady(server: ChildProcess, baseUrl: string): Promise<void> {
  const deadline = AbortSignal.timeout(READY_MS_MAX);
  while (!deadline.aborted && server.exitCode === null) {
    const ready = await fetch(`${baseUrl}/config`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    await wait(POLL_MS);
  }
  throw new Error('searx did not start');
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit', { signal: AbortSignal.timeout(STOP_MS_MAX) });
  server.kill('SIGTERM');
  await gone.catch(() => server.kill('SIGKILL'));
}

/** All that it wants to be told: a settings file replaces its defaults as a whole. */
function settingsOf(port: number, engines: readonly SearxEngine[]): unknown {
  return {
    general: { debug: false, instance_name: 'world', enable_stats: false },
    brand: { git_url: '', git_branch: '', issue_url: '', docs_url: '', public_instances: '', wiki_url: '' },
    search: {
      safe_search: 0,
      autocomplete: '',
      default_lang: 'en',
      formats: ['html', 'json'],
      ban_time_on_fail: 60,
      max_ban_time_on_fail: 120,
    },
    server: {
      port,
      bind_address: '127.0.0.1',
      secret_key: 'world',
      base_url: false,
      image_proxy: false,
      http_protocol_version: '1.0',
      method: 'GET',
      default_http_headers: {},
    },
    ui: {
      static_path: `${RESOURCES}/static`,
      templates_path: `${RESOURCES}/templates`,
      default_theme: 'oscar',
      default_locale: 'en',
      theme_args: { oscar_style: 'logicodev' },
    },
    outgoing: { request_timeout: 2, useragent_suffix: '', pool_connections: 10, pool_maxsize: 10 },
    engines: engines.map(({ name, shortcut, searchUrl, isDefault }) => ({
      name,
      engine: 'json_engine',
      shortcut,
      categories: 'general',
      enable_http: true,
      search_url: searchUrl,
      results_query: 'results',
      url_query: 'url',
      title_query: 'title',
      content_query: 'description',
      disabled: !isDefault,
      timeout: 2,
    })),
    locales: { en: 'English' },
    doi_resolvers: { 'doi.org': 'https://doi.org/' },
    default_doi_resolver: 'doi.org',
  };
}
