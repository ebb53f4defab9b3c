import type { Readable, Writable } from 'node:stream';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { REQUEST_BYTES_MAX } from '../../contract/limits.ts';
import { MCP_PATH } from './mcp-http.ts';
import { readField, readTextField } from './writing.ts';

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
  const far = new StreamableHTTPClientTransport(buildEndpoint(url, tools), {
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
function buildEndpoint(url: string, tools: string | null): URL {
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
