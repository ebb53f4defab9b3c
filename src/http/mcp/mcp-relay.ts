import type { Readable, Writable } from 'node:stream';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { PROGRESS_MS, REQUEST_BYTES_MAX } from '../../contract/limits.ts';
import { buildRoutes, type RouteDeps } from '../routes.ts';
import { MCP_PATH } from './mcp-http.ts';
import { createMcpServer } from './mcp-server.ts';
import { createToolCalls, type ToolCallsDeps } from './tool-calls.ts';
import { selectTools } from './tools.ts';
import { readField, readTextField } from './writing.ts';

/** The address of every caller over stdio, who is the process's own user. */
const OWN_ADDRESS = '127.0.0.1';

/** JSON-RPC's code for server errors. */
const SERVER_ERROR = -32_000;

/**
 * Relays messages between the client that started the process and a remote server. Resolves when the client has left.
 * A message that cannot be delivered is answered with an error, so that the client does not wait for a reply.
 */
export async function relayMcp({
  url,
  apiKey,
  tools,
  input,
  output,
}: {
  url: string;
  apiKey: string | null;
  tools: string | null;
  input: Readable;
  output: Writable;
}): Promise<void> {
  const near = new StdioServerTransport(input, output, { maxBufferSize: REQUEST_BYTES_MAX });
  const far = new StreamableHTTPClientTransport(buildMcpEndpoint(url, tools), {
    requestInit: { headers: apiKey === null ? {} : { 'x-api-key': apiKey } },
  });
  const ended = Promise.withResolvers<void>();
  near.onmessage = (message) => void forward(message, { near, far });
  near.onclose = () => ended.resolve();
  far.onmessage = (message) => {
    const version = readTextField(readField(message, 'result'), 'protocolVersion');
    // Every later request must carry the negotiated version.
    if (version !== '') far.setProtocolVersion(version);
    void near.send(message);
  };
  for (const end of ['end', 'close']) input.once(end, () => void near.close());
  output.once('error', () => void near.close());
  await far.start();
  await near.start();
  await ended.promise;
  await far.close();
}

/** Builds the `/mcp` endpoint from the address of the service or of the endpoint, with or without a trailing slash. */
export function buildMcpEndpoint(url: string, tools: string | null): URL {
  const endpoint = new URL(url);
  const path = endpoint.pathname.replace(/(?<!\/)\/+$/, '');
  endpoint.pathname = path.endsWith(MCP_PATH) ? path : path + MCP_PATH;
  if (tools !== null) endpoint.searchParams.set('tools', tools);
  return endpoint;
}

type RelayTransports = { near: StdioServerTransport; far: StreamableHTTPClientTransport };

async function forward(message: JSONRPCMessage, { near, far }: RelayTransports): Promise<void> {
  try {
    await far.send(message);
  } catch (error) {
    const id = readField(message, 'id');
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const reason = error instanceof Error ? error.message : String(error);
    const text = `The server could not be reached: ${reason}`;
    await near.send({ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message: text } });
  }
}

type McpStdioDeps = Omit<ToolCallsDeps, 'routes'> &
  Omit<RouteDeps, 'isDraining' | 'serviceUrl'> & { brand: string };

/** Serves the tools over two streams to the client that started the process. Resolves when the client has left. */
export async function serveMcpOverStdio(
  deps: McpStdioDeps,
  {
    input,
    output,
    apiKey,
    tools,
  }: { input: Readable; output: Writable; apiKey: string | null; tools: string | null },
): Promise<void> {
  const routes = buildRoutes({ ...deps, serviceUrl: deps.baseUrl, isDraining: () => false });
  const toolCalls = createToolCalls({ ...deps, routes });
  const headers = apiKey === null ? {} : { 'x-api-key': apiKey };
  const server = createMcpServer({
    brand: deps.brand,
    // Calls over stdio are never charged.
    isMetered: false,
    tools: selectTools(tools, { isMetered: deps.terms !== null, hasModel: deps.writer !== null }),
    progressMs: PROGRESS_MS,
    baseUrl: deps.baseUrl,
    toolCalls,
    // The signal fires when a call is cancelled and, for running calls, when the client leaves.
    callerOf: (signal, report) => ({
      headers,
      address: OWN_ADDRESS,
      hungUp: signal,
      report,
      // Answers go straight into the pipe.
      hasBegun: () => true,
      // The process serves only this client, so there is no load to assign.
      assignLoad() {},
    }),
  });
  const ended = Promise.withResolvers<void>();
  server.onclose = () => ended.resolve();
  for (const end of ['end', 'close']) input.once(end, () => void server.close());
  // An error of the output means that the client has left.
  output.once('error', () => void server.close());
  await server.connect(new StdioServerTransport(input, output, { maxBufferSize: REQUEST_BYTES_MAX }));
  await ended.promise;
}
