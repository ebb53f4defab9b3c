// Usage: node scripts/smoke-test.mjs <address of a server> [address of a page it may read]
// Calls a running server as its users do and prints one line for each call; exits with 1 if one fails. With free requests it uses
// up to six of the day's; SANDERLING_API_KEY pays instead.
const CALL_MS_MAX = 30_000;
const PROTOCOL = '2025-06-18';

const [address, page] = process.argv.slice(2);
if (address === undefined) {
  console.error('Usage: node scripts/smoke-test.mjs <address of a server> [address of a page it may read]');
  process.exit(2);
}
const key = process.env.SANDERLING_API_KEY;
const credentials = key === undefined ? {} : { 'x-api-key': key };

await check('is ready', 'GET', '/readyz');
await check('serves its start page', 'GET', '/', { accept: 'text/html' }, (text) => text.includes('<html'));
await check('describes its API', 'GET', '/openapi.json', {}, (text) => JSON.parse(text).paths['/v1/search']);
await check('searches', 'POST', '/v1/search', { query: 'waders' }, (text) => JSON.parse(text).results);
await check(
  'searches in the second shape',
  'POST',
  '/shapeB/search',
  { query: 'waders' },
  (text) => JSON.parse(text).results,
);
if (page !== undefined) {
  await check('reads a page', 'GET', `/r/${page}`, {}, (text) => text.length > 0);
  await check(
    'returns its contents',
    'POST',
    '/v1/contents',
    { urls: [page] },
    (text) => JSON.parse(text).results[0].text,
  );
  await check('finds it again', 'POST', '/v1/search', { query: page }, (text) => JSON.parse(text).results);
}
await check('lists its tools', 'POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, (text) =>
  text.includes('_search'),
);
await check('refuses what it does not know', 'POST', '/v1/search', { query: '' }, () => true, 422);

/** Prints the result of one call; a body is sent as JSON, and what a GET has in its place as headers. */
async function check(what, method, path, sent = {}, isRight = () => true, status = 200) {
  const begun = performance.now();
  const problem = await problemOf(method, path, sent, isRight, status).catch(
    (error) => error.cause?.message ?? error.message,
  );
  const took = `${Math.round(performance.now() - begun)} ms`;
  console.log(problem === null ? `ok    ${what} (${took})` : `FAILS ${what}: ${method} ${path}: ${problem}`);
  if (problem !== null) process.exitCode = 1;
}

async function problemOf(method, path, sent, isRight, status) {
  const headers =
    method === 'GET'
      ? { ...credentials, ...sent }
      : {
          ...credentials,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': PROTOCOL,
        };
  const body = method === 'GET' ? undefined : JSON.stringify(sent);
  const signal = AbortSignal.timeout(CALL_MS_MAX);
  const response = await fetch(new URL(path, address), { method, headers, body, signal });
  const text = await response.text();
  if (response.status !== status) return `${response.status} ${text.slice(0, 200)}`;
  return isRight(text) ? null : `an unexpected answer: ${text.slice(0, 200)}`;
}
