import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { VERSION } from '../../contract/version.ts';
import { readField, readRecords, readTextField } from './writing.ts';

/** A server as a client reaches it: at the address of its `/mcp`, or by starting a command. */
export type McpServerTarget =
  | { kind: 'address'; url: string; key: string | null }
  | { kind: 'command'; command: string; args: string[]; env: Record<string, string> };

/** `problem` is what a call without cost failed with, such as an unknown key; null: nothing. */
type McpServerReport = { tools: string[]; problem: string | null };

/** A started command may have an index to open. */
const PROBE_MS = 30_000;

/**
 * Connects as a client does: initialize, tools/list and, with a key, a call of the tool for the balance, which costs nothing. Rejects if
 * nothing answers, with the cause of the network or of the process.
 */
export async function probeMcpServer(target: McpServerTarget): Promise<McpServerReport> {
  const client = new Client({ name: 'sanderling-setup', version: VERSION });
  try {
    // The SDK's own types disagree with each other under exact optional properties.
    await client.connect(createTransport(target) as Parameters<Client['connect']>[0], { timeout: PROBE_MS });
    const { tools } = await client.listTools({}, { timeout: PROBE_MS });
    const names = tools.map(({ name }) => name);
    return { tools: names, problem: await findProblem(client, names, target) };
  } finally {
    await client.close();
  }
}

function createTransport(target: McpServerTarget): StdioClientTransport | StreamableHTTPClientTransport {
  if (target.kind === 'command') {
    const { command, args, env } = target;
    return new StdioClientTransport({ command, args, env, stderr: 'ignore' });
  }
  const headers = target.key === null ? {} : { authorization: `Bearer ${target.key}` };
  return new StreamableHTTPClientTransport(new URL(target.url), { requestInit: { headers } });
}

/** Only a key can be wrong; a server that is not metered has no balance. */
async function findProblem(
  client: Client,
  names: readonly string[],
  target: McpServerTarget,
): Promise<string | null> {
  const key = target.kind === 'address' ? target.key : (target.env.SANDERLING_API_KEY ?? null);
  const name = names.find((tool) => tool.endsWith('_balance'));
  if (key === null || name === undefined) return null;
  const result = await client.callTool({ name }, undefined, { timeout: PROBE_MS });
  if (readField(result, 'isError') !== true) return null;
  return readTextField(readRecords(result, 'content')[0], 'text');
}
