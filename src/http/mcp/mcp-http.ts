import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppScope } from '../../billing/keys/app-grants.ts';
import { Failure } from '../../contract/errors.ts';
import { CALL_WAIT_MS_MAX, PROGRESS_MS } from '../../contract/limits.ts';
import { createLazy } from '../../platform/lazy.ts';
import type { Route } from '../calls/call.ts';
import { HungUp } from '../calls/call.ts';
import { createValidationFailure } from '../calls/json-body.ts';
import { findToolScope, type McpAccess, refuseScope } from './mcp-access.ts';
import { createCancellations, type Message, readMessage } from './message.ts';
import type { Tool } from './tool.ts';
import type { SharedTools, ToolCaller, ToolCalls } from './tool-calls.ts';
import { findTool, selectTools, type ToolTerms } from './tools.ts';

/** The MCP endpoint. POST only: no stream outlives its request. */
export const MCP_PATH = '/mcp';
export const MCP_ROUTE: Pick<Route, 'method' | 'paths'> = {
  method: 'POST',
  paths: [MCP_PATH],
};

/** The code of a refusal in JSON-RPC; any from -32000 to -32099 is a server's own. */
const REFUSED = -32_001;
const SESSION_HEADER = 'mcp-session-id';
const SESSION_CHARS_MAX = 100;
/** The method that reads a resource; it takes as long as the tool that reads pages. */
const READ_RESOURCE = 'resources/read';
/** Milliseconds added to a call's time limit for the socket timeout of its connection. */
const IDLE_MS = 30_000;

type McpHttpDeps = ToolTerms & {
  brand: string;
  toolCalls: ToolCalls;
  baseUrl(): string;
  /** Cancels calls in other processes; absent or null if there are none. */
  sharedTools?: SharedTools | null | undefined;
  callerOf(request: FastifyRequest, reply: FastifyReply): Omit<ToolCaller, 'report'>;
  /** Decides what a request may do. `base` is where its client finds out how to be signed in. */
  accessOf(request: FastifyRequest, base: string): Promise<McpAccess>;
  /** The base URL of the service for a caller. */
  addressFor(request: Pick<FastifyRequest, 'headers'>): string;
};

/**
 * Adds POST /mcp: stateless Streamable HTTP. Clients get a session id, which refers to running calls only, so that a
 * cancellation, which is a request of its own, finds the call it cancels.
 */
export function addMcp(app: FastifyInstance, deps: McpHttpDeps): void {
  const cancellations = createCancellations();
  deps.sharedTools?.onCancelled(cancellations.cancel);
  app.route({
    method: 'POST',
    url: MCP_PATH,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const base = deps.addressFor(request);
      const access = await deps.accessOf(request, base);
      if (access.kind === 'refused') return refuse(reply, access);
      const message = readMessage(request.body);
      const session = readSession(request);
      if (message.cancels !== null && session !== null) {
        cancellations.cancel(session, message.cancels);
        deps.sharedTools?.cancel(session, message.cancels);
      }
      if (message.method === 'initialize') reply.header(SESSION_HEADER, session ?? randomUUID());
      const stop = new AbortController();
      const forget =
        session === null || message.id === null ? () => {} : cancellations.keep(session, message.id, stop);
      reply.raw.once('close', forget);
      return answerMessage(message, { request, reply, deps, stop, access, base });
    },
  });
}

/** Loads the SDK on the first call, so that the service starts without it. Importing again costs as much as a cached search. */
const loadProtocol = createLazy(async () => {
  const [server, { WebStandardStreamableHTTPServerTransport }, { SUPPORTED_PROTOCOL_VERSIONS }] =
    await Promise.all([
      import('./mcp-server.ts'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]);
  return { ...server, WebStandardStreamableHTTPServerTransport, SUPPORTED_PROTOCOL_VERSIONS };
});

type Exchange = {
  request: FastifyRequest;
  reply: FastifyReply;
  deps: McpHttpDeps;
  /** Ends the call when its caller hangs up or cancels it. */
  stop: AbortController;
  access: Exclude<McpAccess, { kind: 'refused' }>;
  base: string;
};

/** Tells a client that it must be signed in, or signed in for more. */
function refuse(reply: FastifyReply, { status, challenge }: McpAccess & { kind: 'refused' }): FastifyReply {
  const message = status === 401 ? 'Sign in first.' : 'The application was not granted what this call needs.';
  return reply
    .status(status)
    .header('WWW-Authenticate', challenge)
    .send({ jsonrpc: '2.0', id: null, error: { code: REFUSED, message } });
}

/** Returns the scope that a call needs and was not granted; null: it may be made. */
function findMissingScope(message: Message, called: Tool | null, { access }: Exchange): AppScope | null {
  if (access.kind === 'open') return null;
  const needed =
    called !== null ? findToolScope(called) : message.method === READ_RESOURCE ? ('read' as const) : null;
  return needed === null || access.scopes.includes(needed) ? null : needed;
}

async function answerMessage(message: Message, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply, deps, stop, access } = exchange;
  const sdk = await loadProtocol();
  const selected = selectTools(new URL(request.originalUrl, 'http://host').searchParams.get('tools'), deps);
  const called = findTool(selected, message.tool ?? '', deps.brand);
  const missing = findMissingScope(message, called, exchange);
  if (missing !== null) return refuse(reply, refuseScope(missing, exchange.base));
  const tools =
    access.kind === 'open'
      ? selected
      : selected.filter((tool) => access.scopes.includes(findToolScope(tool)));
  const caller = deps.callerOf(request, reply);
  const running = message.method === READ_RESOURCE ? findTool(tools, 'read', deps.brand) : called;
  if (running !== null) reply.raw.setTimeout(CALL_WAIT_MS_MAX + deps.toolCalls.limitMs(running) + IDLE_MS);
  const ended = stopOnHangUp(caller.hungUp, stop);
  const isStreamed = wantsStream(request.headers.accept, message.wantsProgress || called?.isLong === true);
  if (message.plainCall !== null && called !== null && !isStreamed && hasSupportedVersion(request, sdk)) {
    const { given } = message.plainCall;
    const asked = { ...caller, hungUp: stop.signal, report() {} };
    const answering = sdk.answerPlainCall(
      { tool: called, given, id: message.id },
      { ...deps, caller: asked },
    );
    const text = await Promise.race([answering, ended]);
    return reply.header('content-type', 'application/json').send(text);
  }
  if (message.isPlainList && !isStreamed && hasSupportedVersion(request, sdk))
    return reply
      .header('content-type', 'application/json')
      .send(sdk.listTools({ tools, id: message.id }, deps));
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !isStreamed });
  const server = sdk.createMcpServer({
    ...deps,
    tools,
    progressMs: PROGRESS_MS,
    // The SDK's own signal is left out: it fires when this server is closed, which follows `stop`. Also, Node keeps a signal of
    // `AbortSignal.any` with its listeners until it fires, which never happens for a call that ends well.
    callerOf: (_, report) => ({ ...caller, hungUp: stop.signal, report }),
  });
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  stop.signal.addEventListener('abort', () => void server.close(), { once: true });
  const response = await Promise.race([
    transport.handleRequest(toRequest(request), { parsedBody: message.json }),
    ended,
  ]);
  // The caller and the HTTP server decide whether the connection stays open.
  response.headers.delete('connection');
  reply.status(response.status).headers(Object.fromEntries(response.headers));
  // Cast: the platform's web stream and the one that Node's converter expects are two types for the same thing.
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  return reply.send(isStream ? Readable.fromWeb(response.body as never) : await response.text());
}

/** Stops a call when its caller hangs up. The promise rejects once the call is stopped, by a hang-up or a cancellation. */
function stopOnHangUp(hungUp: AbortSignal, stop: AbortController): Promise<never> {
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  stop.signal.addEventListener('abort', () => {
    ended.reject(hungUp.aborted ? new HungUp() : new Failure('request_timeout', 'The call was cancelled.'));
  });
  const end = (): void => stop.abort();
  hungUp.addEventListener('abort', end, { once: true });
  if (hungUp.aborted) end();
  return ended.promise;
}

/** Returns true if the request names no version of the protocol, or one that the SDK supports. */
function hasSupportedVersion(
  { headers }: FastifyRequest,
  { SUPPORTED_PROTOCOL_VERSIONS }: { SUPPORTED_PROTOCOL_VERSIONS: readonly string[] },
): boolean {
  const version = headers['mcp-protocol-version'];
  return version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version));
}

/** Builds the request for the SDK. The SDK checks the protocol version; `Accept` is checked here, more leniently. */
function toRequest({ headers }: FastifyRequest): Request {
  const version = headers['mcp-protocol-version'];
  return new Request(`http://localhost${MCP_PATH}`, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(typeof version === 'string' ? { 'mcp-protocol-version': version } : {}),
    },
  });
}

/** Returns true if a stream is useful and accepted, or if nothing else is accepted. */
function wantsStream(accept: string | undefined, isOfUse: boolean): boolean {
  const isAccepted = (type: string): boolean => accept?.toLowerCase().includes(type) ?? false;
  return (
    isAccepted('text/event-stream') && (isOfUse || !(isAccepted('application/json') || isAccepted('*/*')))
  );
}

function readSession({ headers }: FastifyRequest): string | null {
  const session = headers[SESSION_HEADER];
  if (session === undefined) return null;
  if (typeof session === 'string' && session.length <= SESSION_CHARS_MAX) return session;
  throw createValidationFailure([{ field: 'Mcp-Session-Id', message: 'is not a session of this server' }]);
}
