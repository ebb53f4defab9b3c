import * as z from 'zod';
import type { Config } from '../app/config.ts';
import { createGuardedFetch } from '../platform/net/guarded-fetch.ts';
import { toWebAddress } from './arguments.ts';

/** A running server, and the key of the caller. */
export type ApiServer = { url: string; key: string | undefined };

/** Options by which a command names the server. */
export type ServerOptions = { url: string; key?: string };

/** Returns the server that options name; the key is that of the environment if they name none. */
export function readServer({ url, key }: ServerOptions, keyInEnvironment: string | undefined): ApiServer {
  return { url: toWebAddress(url).replace(/(?<!\/)\/+$/, ''), key: key ?? keyInEnvironment };
}

type ServerCall = { path: string; body?: Record<string, unknown> | Uint8Array };

const CALL_MS = 120_000;
const RESPONSE_BYTES_MAX = 67_108_864;

/** Calls the API of a server. Throws with its message unless it answers with 200. */
export async function callServer<Schema extends z.ZodType>(
  config: Config,
  server: ApiServer,
  { answer, ...call }: ServerCall & { answer: Schema },
): Promise<z.output<Schema>> {
  return answer.parse(JSON.parse(Buffer.from(await fetchFromServer(config, server, call)).toString()));
}

/** Returns the body of an answer as it is. The server is the user's choice, so it may be private. */
export async function fetchFromServer(
  { dnsServers }: Config,
  { url, key }: ApiServer,
  { path, body }: ServerCall,
): Promise<Uint8Array> {
  const network = createGuardedFetch({ allowPrivate: ['0.0.0.0/0', '::/0'], dnsServers });
  try {
    const response = await network.fetch({
      url: `${url}${path}`,
      headers: { 'content-type': 'application/json' },
      ownHeaders: key === undefined ? {} : { 'x-api-key': key },
      ...(body === undefined ? {} : { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
      timeoutMs: CALL_MS,
      bytesMax: RESPONSE_BYTES_MAX,
    });
    if (response.status === 200) return response.body;
    const text = Buffer.from(response.body).toString();
    throw new Error(`${url} answered ${response.status}: ${readProblem(text)}`);
  } finally {
    await network.close();
  }
}

/** Returns the message of an error in the first shape, else the beginning of the text. */
function readProblem(text: string): string {
  const problem = z.looseObject({ message: z.string() }).safeParse(parseJson(text));
  return problem.success ? problem.data.message : text.slice(0, 500);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
