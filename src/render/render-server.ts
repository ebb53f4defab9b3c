import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Failure, STATUS_OF } from '../contract/errors.ts';
import { RENDER_HEALTH_PATH, RENDER_PATH, RenderOrder } from '../pages/rendering/render-wire.ts';
import type { Log } from '../platform/log.ts';
import type { Renderer } from './renderer.ts';
import { LIMITS } from './start-browser.ts';

type ServerDeps = {
  renderer: Renderer;
  /** The bearer token that every client must send. */
  token: string;
  /** The browser's name and sandbox, reported with the health of the process. */
  about: { browser: string; sandbox: boolean };
  log: Log;
};

type RenderServer = {
  server: Server;
  /** Refuses new orders and resolves when none is running. */
  drain(): Promise<void>;
};

const HEADERS_MS = 10_000;
const SECOND_MS = 1_000;

/** Serves POST /render and GET /healthz to clients with the token. */
export function createRenderServer(deps: ServerDeps): RenderServer {
  const drained = Promise.withResolvers<void>();
  let running = 0;
  let isDraining = false;
  const answerRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isToken(request.headers.authorization, deps.token))
      throw new Failure(
        'forbidden',
        'The token is missing or wrong: RENDER_TOKEN must be the same on both sides.',
      );
    // An invalid address such as `//` gives no path, and so 404.
    const pathname = URL.parse(request.url ?? '/', 'http://render')?.pathname;
    if (pathname === RENDER_HEALTH_PATH && request.method === 'GET')
      return send(response, 200, { ok: true, ...deps.about, ...deps.renderer.state() });
    if (pathname !== RENDER_PATH || request.method !== 'POST')
      throw new Failure('not_found', 'There is nothing at this address.');
    if (isDraining)
      throw new Failure('overloaded', 'The browser is shutting down.', { retryAfterSeconds: 5 });
    const order = parseOrder(await readBody(request));
    send(response, 200, await deps.renderer.render(order, createHangUpSignal(response)));
  };
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: HEADERS_MS });
  server.on('request', (request, response) => {
    running += 1;
    answerRequest(request, response)
      .catch((error: unknown) => sendFailure(response, error, deps.log))
      .finally(() => {
        running -= 1;
        if (isDraining && running === 0) drained.resolve();
      });
  });
  return {
    server,
    drain() {
      isDraining = true;
      server.close();
      server.closeIdleConnections();
      if (running === 0) drained.resolve();
      return drained.promise;
    },
  };
}

/** Compares digests, so that the time reveals nothing of the token or its length. */
function isToken(authorization: string | undefined, token: string): boolean {
  const computeDigest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(computeDigest(authorization ?? ''), computeDigest(`Bearer ${token}`));
}

function parseOrder(text: string): RenderOrder {
  const createProblem = (message: string): Failure => new Failure('validation_error', message);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw createProblem('The body is no JSON.');
  }
  const parsed = RenderOrder.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw createProblem(`${issue?.path.join('.') || 'body'}: ${issue?.message}`);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > LIMITS.orderBytesMax) throw new Failure('request_too_large', 'The order is too large.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Returns a signal that aborts when the client hangs up. */
function createHangUpSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}

function sendFailure(response: ServerResponse, error: unknown, log: Log): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const failure = error instanceof Failure ? error : new Failure('internal', 'The page was not rendered.');
  if (failure !== error) log.error({ err: error }, 'a page was not rendered');
  const { code, message, fetch, retryAfterSeconds } = failure;
  if (retryAfterSeconds !== null) response.setHeader('retry-after', String(retryAfterSeconds));
  send(response, STATUS_OF[code], {
    error: { code, reason: fetch?.reason ?? null, message, httpStatus: fetch?.httpStatus ?? null },
  });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.setTimeout(30 * SECOND_MS, () => response.destroy());
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'no-store',
  });
  response.end(bytes);
}
