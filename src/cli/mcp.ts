import { compose } from '../app/compose.ts';
import type { Config } from '../app/config.ts';
import { buildHandlerDeps } from '../app/handler-deps.ts';
import { relayMcp, serveMcpOverStdio } from '../http/mcp/mcp-relay.ts';
import { createDraining } from '../http/server/connections.ts';

type Options = { url?: string; key?: string; tools?: string };

/** `sanderling mcp`: serves the tools over standard input and output, answered by this process or forwarded to the server at `url`. */
export async function runMcp(config: Config, options: Options): Promise<void> {
  const client = {
    input: process.stdin,
    output: process.stdout,
    apiKey: options.key ?? null,
    tools: options.tools ?? null,
  };
  // A client stops its server by closing the streams; a signal does the same.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.stdin.destroy());
  if (options.url !== undefined) return relayMcp({ ...client, url: options.url });
  const composition = await compose(config);
  try {
    const baseUrl = config.baseUrl ?? `http://localhost:${config.port}`;
    // The caller is the operator: no call is counted or charged.
    const deps = { ...buildHandlerDeps(composition, createDraining()), isUnmetered: () => true };
    await serveMcpOverStdio({ ...deps, baseUrl: () => baseUrl }, client);
  } finally {
    await composition.close();
  }
}
