import { isMainThread, parentPort, workerData } from 'node:worker_threads';

/** Requests of the hostile caller that are open at once. */
export const AT_ONCE = 24;
/** Its address, as a trusted proxy tells it. */
export const HOSTILE = '198.51.100.7';
const TEXT = 'The sanderling runs along the edge of the surf and picks sandhoppers before the next wave. ';

export type FloodData = { address: string; name: string; origin: string; headers: Record<string, string> };

type Sent = { path: string; body?: string };

/** The requests of each kind, by number; `origin`: a site with any number of pages. */
export function kindsOf(origin: string): Record<string, (nth: number) => Sent> {
  const post = (path: string, body: object): Sent => ({ path, body: JSON.stringify(body) });
  const message = (method: string, params: object = {}): Sent =>
    post('/mcp', { jsonrpc: '2.0', id: 1, method, params });
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  const documents = Array.from({ length: 1_000 }, (_, nth) => `${nth} ${TEXT.repeat(5)}`);
  const rerank = post('/v1/rerank', { query: 'surf', documents });
  const malformed = { path: '/v1/search', body: `{"query":[${'1,'.repeat(450_000)}` };
  const query = (nth: number): string => `sanderling surf ${nth}`;
  return {
    'tools/list': () => message('tools/list'),
    'tools/call': (nth) =>
      message('tools/call', { name: 'service_search', arguments: { query: query(nth) } }),
    initialize: () => message('initialize', client),
    'resources/templates/list': () => message('resources/templates/list'),
    '/openapi.json': () => ({ path: '/openapi.json' }),
    '/llms.txt': () => ({ path: '/llms.txt' }),
    '/docs': () => ({ path: '/docs' }),
    'an unknown route': () => ({ path: '/nothing' }),
    'a malformed body of 900 KB': () => malformed,
    'a rerank of 1,000 texts': () => rerank,
    'a search with contents': (nth) =>
      post('/v1/search', { query: query(nth), contents: { highlights: true } }),
    'a fresh search': (nth) => post('/v1/search', { query: query(10_000 + nth) }),
    contents: (nth) => post('/v1/contents', { urls: [`${origin}/${nth}`] }),
    'a fresh page': (nth) => ({ path: `/r/${origin}/${10_000 + nth}?q=surf` }),
    findSimilar: (nth) => post('/v1/findSimilar', { url: `${origin}/${nth % 3}` }),
    'an answer': (nth) => post('/v1/answer', { query: `Where does the sanderling run? ${nth}` }),
  };
}

/** In a thread of its own, so that the time which sending takes is not the good caller's. */
async function flood({ address, name, origin, headers }: FloodData): Promise<void> {
  const sentOf = kindsOf(origin)[name];
  if (sentOf === undefined) throw new Error(`there is no kind ${name}`);
  let nth = 0;
  const sendOn = async (): Promise<void> => {
    for (;;) {
      nth += 1;
      const { path, body } = sentOf(nth);
      const init = body === undefined ? {} : { method: 'POST', body };
      const response = await fetch(`${address}${path}`, {
        ...init,
        headers: { 'x-forwarded-for': HOSTILE, accept: 'application/json', ...headers },
      });
      await response.arrayBuffer();
      if (nth >= AT_ONCE) parentPort?.postMessage('begun');
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendOn));
}

if (!isMainThread && workerData?.name !== undefined) await flood(workerData as FloodData);
