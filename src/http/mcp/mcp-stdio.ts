import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { PROGRESS_MS, REQUEST_BYTES_MAX } from '../../contract/limits.ts';
import type { RouteDeps } from '../routes.ts';
import { buildRoutes } from '../routes.ts';
import { createMcpServer } from './mcp-server.ts';
import { createToolCalls, type ToolCallsDeps } from './tool-calls.ts';
import { selectTools } from './tools.ts';

type McpStdioDeps = Omit<ToolCallsDeps, 'routes'> &
  Omit<RouteDeps, 'isDraining' | 'serviceUrl'> & { brand: string };

/** The address of every caller over stdio, who is the process's own user. */
const OWN_ADDRESS = '127.0.0.1';

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
    tools: selectTools(tools, { isMetered: deps.terms !== null }),
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
