/**
 * Counts the functions and files of `src/` that run on the main thread while one warm call is answered, by V8's precise coverage. Prints
 * one row for each call; with `--list <call>` the files and functions of that call.
 */
import { Session } from 'node:inspector/promises';
import { parseArgs } from 'node:util';
import { serveReal } from '../test/harness.ts';

const WARM_CALLS = 3;
const SOURCES = new URL('../src/', import.meta.url).href;
const PAGE =
  '<!doctype html><title>Tides</title><main><h1>Tides</h1><p>The tide turns twice a day, and the knot follows it.</p></main>';

type Path = { files: string[]; functions: string[] };

const { values } = parseArgs({ options: { list: { type: 'string' } } });
const web = await (await import('../test/fixtures/web.ts')).startWeb({ routes: { '/tide': PAGE } });
const app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.0.0.0/8', METERING: 'on' });
const owner = await app.owner();
const session = new Session();
session.connect();
await session.post('Profiler.enable');
try {
  const url = `http://127.10.0.1:${web.port}/tide`;
  await owner.post('/v1/contents', { urls: [url] });
  // Plain requests: the test's own client reads the description of the interface, which is part of src/.
  const { apiKey } = await app.billing.keys.create({ credits: 1_000, label: null });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const request = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(app.address + path, init);
    await response.arrayBuffer();
    return response;
  };
  const search = (query: string) =>
    request('/v1/search', { method: 'POST', headers, body: JSON.stringify({ query }) });
  const calls: Record<string, (round: number) => Promise<{ status: number }>> = {
    'cached search': () => search('tide'),
    'new search': (round) => search(`tide ${round}`),
    'cached page': () => request(`/r/${url}`, { headers }),
    '/healthz': () => request('/healthz'),
  };
  const rows: Record<string, Record<string, number>> = {};
  for (const [name, call] of Object.entries(calls)) {
    for (let round = 0; round < WARM_CALLS; round++) await call(round);
    const path = await measure(async () => {
      const { status } = await call(WARM_CALLS);
      if (status !== 200) throw new Error(`${name} answered ${status}`);
    });
    const billing = path.files.filter((file) => /^(billing|platform\/store)\//.test(file));
    rows[name] = {
      functions: path.functions.length,
      files: path.files.length,
      'files of the charge': billing.length,
    };
    if (values.list === name) console.log(path.functions.join('\n'));
  }
  console.table(rows);
} finally {
  session.disconnect();
  await app.close();
  await web.close();
}

async function measure(call: () => Promise<void>): Promise<Path> {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await call();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const functions = result
    .filter((script) => script.url.startsWith(SOURCES))
    .flatMap((script) =>
      script.functions
        .filter(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0)
        .map(({ functionName }) => `${script.url.slice(SOURCES.length)} ${functionName}`),
    );
  return { functions, files: [...new Set(functions.map((one) => one.split(' ')[0] ?? ''))] };
}
