import { compose } from '../app/compose.ts';
import type { Config } from '../app/config.ts';
import { handlerDepsOf } from '../app/serve.ts';
import { relayMcp } from '../http/mcp/mcp-relay.ts';
import { serveMcpOverStdio } from '../http/mcp/mcp-stdio.ts';
import { createDraining } from '../http/server/draining.ts';

type Options = { url?: string; key?: string; tools?: string };

/** `sanderling mcp`: the tools over standard input and output, from the parts of this process or from a server at `url`. */
export async function runMcp(config: Config, options: Options): Promise<void> {
  const client = {
    input: process.stdin,
    output: process.stdout,
    apiKey: options.key ?? null,
    tools: options.tools ?? null,
  };
  // The client ends its server by closing the streams; a signal does the same.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.stdin.destroy());
  if (options.url !== undefined) return relayMcp({ ...client, url: options.url });
  const parts = await compose(config);
  try {
    const baseUrl = config.baseUrl ?? `http://localhost:${config.port}`;
    const deps = handlerDepsOf(parts, createDraining());
    await serveMcpOverStdio({ ...deps, baseUrl: () => baseUrl }, client);
  } finally {
    await parts.close();
  }
}
