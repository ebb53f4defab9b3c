import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { REQUEST_BYTES_MAX } from '../../contract/limits.ts';
import type { RouteDeps } from '../routes.ts';
import { routesOf } from '../routes.ts';
import { PROGRESS_MS } from './mcp-http.ts';
import { createMcpServer } from './mcp-server.ts';
import { createToolCalls, type ToolCallsDeps } from './tool-calls.ts';
import { chosenTools } from './tools.ts';

type McpStdioDeps = Omit<ToolCallsDeps, 'routes'> &
  Omit<RouteDeps, 'isDraining' | 'serviceUrl'> & { brand: string };

/** Who starts the process is who calls; its free requests count like those of any address. */
const OWN_ADDRESS = '127.0.0.1';

/** Speaks the protocol over two streams, for the one client that started the process; resolves when the client is gone. */
export async function serveMcpOverStdio(
  parts: McpStdioDeps,
  {
    input,
    output,
    apiKey,
    tools,
  }: { input: Readable; output: Writable; apiKey: string | null; tools: string | null },
): Promise<void> {
  const routes = routesOf({ ...parts, serviceUrl: parts.baseUrl, isDraining: () => false });
  const toolCalls = createToolCalls({ ...parts, routes });
  const headers = apiKey === null ? {} : { 'x-api-key': apiKey };
  const server = createMcpServer({
    brand: parts.brand,
    tools: chosenTools(tools),
    progressMs: PROGRESS_MS,
    limitMs: toolCalls.limitMs,
    // Fires for a call that is cancelled, and for those under way when the client leaves.
    call: (tool, given, { signal, report }) =>
      toolCalls.call(tool, given, {
        ...{ headers, address: OWN_ADDRESS, hungUp: signal, report },
        // Nothing stands between an answer and the pipe.
        hasBegun: () => true,
        // The one client of the process has nobody to share it with.
        assignLoad() {},
      }),
  });
  const ended = Promise.withResolvers<void>();
  server.onclose = () => ended.resolve();
  for (const end of ['end', 'close']) input.once(end, () => void server.close());
  // A client that is gone cannot be told anything.
  output.once('error', () => void server.close());
  await server.connect(new StdioServerTransport(input, output, { maxBufferSize: REQUEST_BYTES_MAX }));
  await ended.promise;
}
