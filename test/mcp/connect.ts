import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** The SDK's own client, connected to a served address. */
export async function connect(
  address: string,
  { headers = {}, query = '' }: { headers?: Record<string, string>; query?: string } = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${address}/mcp${query}`), {
    requestInit: { headers },
  });
  // The SDK's own types disagree with each other under exact optional properties.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
}

/** The one text of a result. */
export function textOf(result: Awaited<ReturnType<Client['callTool']>>): string {
  const [only] = (result as CallToolResult).content;
  return only?.type === 'text' ? only.text : '';
}
