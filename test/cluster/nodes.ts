import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/** An OpenSearch cluster of a test's own: each node a process, which may be killed and started again. */
export type TestNodes = {
  /** Addresses of all nodes, with commas. */
  url: string;
  kill(place: number): Promise<void>;
  start(place: number): Promise<void>;
  /** Resolves when every shard has all its copies. */
  green(): Promise<void>;
  close(): Promise<void>;
};

type Running = { child: ChildProcess; exited: Promise<unknown> };

const SCRIPT = resolve(import.meta.dirname, '../../scripts/opensearch.sh');
const START_MS = 240_000;
const LOOK_MS = 250;
const FOLDERS = ['config', 'data', 'logs', 'modules', 'plugins'];

/** Why nothing can be started; null: it can. Throws under continuous integration (`CI` is set). */
export async function noNodes(): Promise<string | null> {
  try {
    await promisify(execFile)(SCRIPT, ['available']);
    return null;
  } catch (error) {
    const reason = `no OpenSearch can be started: ${String((error as { stderr?: unknown }).stderr).trim()}`;
    if (process.env.CI) throw new Error(reason, { cause: error });
    return reason;
  }
}

/** Starts a cluster of some nodes on free ports of loopback. */
export async function startNodes(count: number): Promise<TestNodes> {
  const { stdout } = await promisify(execFile)(SCRIPT, ['prepare'], { timeout: 600_000 });
  const [java = '', ...options] = stdout.trim().split('\n');
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-nodes-'));
  const places = await Promise.all(Array.from({ length: count }, portsOf));
  const seeds = places.map(({ transport }) => `127.0.0.1:${transport}`).join(',');
  const names = places.map((_, place) => `node-${place}`).join(',');
  const running: Running[] = [];
  const urls = places.map(({ http }) => `http://127.0.0.1:${http}`);
  const spawnNode = (place: number): void => {
    const home = join(folder, String(place));
    for (const name of FOLDERS) mkdirSync(join(home, name), { recursive: true });
    const settings = {
      'path.home': home,
      'path.data': join(home, 'data'),
      'path.logs': join(home, 'logs'),
      'cluster.name': folder.split('/').at(-1),
      'node.name': `node-${place}`,
      'network.host': '127.0.0.1',
      'http.port': places[place]?.http,
      'transport.port': places[place]?.transport,
      'discovery.seed_hosts': seeds,
      'cluster.initial_cluster_manager_nodes': names,
      'cluster.routing.allocation.disk.threshold_enabled': false,
    };
    const words = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    const output = openSync(join(home, 'output'), 'a');
    const child = spawn(java, [...options, ...words], { stdio: ['ignore', output, output] });
    closeSync(output);
    running[place] = { child, exited: once(child, 'exit') };
  };
  const nodes: TestNodes = {
    url: urls.join(','),
    async kill(place) {
      running[place]?.child.kill('SIGKILL');
      await running[place]?.exited;
    },
    async start(place) {
      spawnNode(place);
      await until(() => answers(urls[place] ?? ''));
    },
    green: () => until(() => isGreen(urls, count)),
    async close() {
      await Promise.all(places.map((_, place) => nodes.kill(place)));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    for (const place of places.keys()) spawnNode(place);
    await nodes.green();
  } catch (error) {
    await nodes.close();
    throw error;
  }
  return nodes;
}

const answers = async (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

type Health = { status: string; number_of_nodes: number };

async function isGreen(urls: string[], count: number): Promise<boolean> {
  for (const url of urls) {
    const health = await fetch(`${url}/_cluster/health`, { signal: AbortSignal.timeout(5_000) })
      .then(
        (response) => (response.ok ? (response.json() as Promise<Health>) : null),
        () => null,
      )
      .catch(() => null);
    if (health !== null) return health.status === 'green' && health.number_of_nodes === count;
  }
  return false;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + START_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`the nodes were not ready within ${START_MS} ms`);
    await pause(LOOK_MS);
  }
}

async function portsOf(): Promise<{ http: number; transport: number }> {
  const [http, transport] = await Promise.all([freePort(), freePort()]);
  return { http, transport };
}

/** Below the ports that systems give to outgoing connections: one of those could take the port of a process that is killed for a moment. */
const PORTS = { first: 20_000, count: 12_000 };

/** A port of loopback that nothing listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
