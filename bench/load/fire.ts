/** One request of a case. */
export type LoadRequest = {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
};

/** What came back. */
export type Tried = { status: number; contentType: string; body: string };

/** What many clients got in a round. `broken`: requests that got no answer. */
export type Fired = {
  perSecond: number;
  answers: number;
  p50Ms: number;
  p99Ms: number;
  failed: number;
  broken: number;
  /** How many answers had each status. */
  statuses: Map<number, number>;
};

type Instance = {
  on(event: 'response', listener: (client: unknown, status: number, bytes: number, ms: number) => void): void;
} & Promise<{ errors: number; timeouts: number; duration: number }>;
type Autocannon = { default(options: Record<string, unknown>): Instance };

/** Sends one request. */
export async function tryOnce(address: string, request: LoadRequest): Promise<Tried> {
  const { method, path, headers, body } = request;
  const response = await fetch(address + path, { method, headers, ...(body === undefined ? {} : { body }) });
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    body: await response.text(),
  };
}

/** Clients that send one request after the other, each on its own connection. */
export async function fire(aim: {
  address: string;
  clients: number;
  seconds: number;
  status: number;
  next(): LoadRequest;
}): Promise<Fired> {
  const { address, clients, seconds, status, next } = aim;
  // The package has no types; `Autocannon` names what is used of it.
  const { default: autocannon } = (await import('autocannon' as string)) as Autocannon;
  const began = performance.now();
  const firing = autocannon({
    url: address,
    connections: clients,
    duration: seconds,
    requests: [{ setupRequest: (request: object) => ({ ...request, ...next() }) }],
  });
  const times: number[] = [];
  const statuses = new Map<number, number>();
  firing.on('response', (_client, answered, _bytes, ms) => {
    times.push(ms);
    statuses.set(answered, (statuses.get(answered) ?? 0) + 1);
  });
  const { errors, timeouts } = await firing;
  const took = performance.now() - began;
  const failed = times.length - (statuses.get(status) ?? 0);
  times.sort((one, other) => one - other);
  return {
    perSecond: (times.length * 1_000) / took,
    answers: times.length,
    p50Ms: times[Math.floor(times.length * 0.5)] ?? Number.NaN,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
    failed: failed + errors + timeouts,
    broken: errors + timeouts,
    statuses,
  };
}
