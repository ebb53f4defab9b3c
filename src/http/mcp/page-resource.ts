import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { ToolAnswer } from './call-tool.ts';

/** Reads pages as resources, whose addresses are those of `GET /r/{url}`. */
type PageResources = {
  baseUrl(): string;
  /** Reads a page; the target is `/r/{url}`. The signal fires when the request is cancelled. */
  read(target: string, signal: AbortSignal): Promise<ToolAnswer>;
};

const MARKDOWN = 'text/markdown';

/** Serves the resource template for pages. No page is listed, because any page can be read. */
export function servePages(server: Server, { baseUrl, read }: PageResources): void {
  const template = `${baseUrl()}/r/{url}`;
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      {
        uriTemplate: template,
        name: 'page',
        title: 'Web page',
        mimeType: MARKDOWN,
        description: 'A page as Markdown, by its percent-encoded URL; ?q= prunes it to a question.',
      },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }, { signal }) => {
    const target = parsePageTarget(uri, baseUrl());
    if (target === null) throw new McpError(ErrorCode.InvalidParams, `The resources here are ${template}`);
    const { text, isError } = await read(target, signal);
    if (isError) throw new McpError(RESOURCE_NOT_FOUND, text);
    return { contents: [{ uri, mimeType: MARKDOWN, text }] };
  });
}

/** The protocol's code for a resource that cannot be read. */
const RESOURCE_NOT_FOUND = -32_002;

function parsePageTarget(uri: string, baseUrl: string): string | null {
  const isPage = uri.startsWith(`${baseUrl}/r/`);
  // A lone surrogate cannot be encoded in an address.
  return isPage ? uri.slice(baseUrl.length).toWellFormed() : null;
}
