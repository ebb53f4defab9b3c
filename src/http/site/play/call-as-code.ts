import { buildPrograms } from '../../programs/programs.ts';
import { type Html, html } from '../html.ts';
import { renderCodeBlock, renderTabs } from '../shell/parts.ts';
import type { Website } from '../shell/site.ts';
import type { PlayCall } from './plays.ts';

export type CodeContext = { site: Website; serviceUrl: string; brand: string };

/** Renders a call in curl, JavaScript and Python, and as the tool call of an agent with the configuration of its client. */
export function renderCallAsCode(
  { method, target, body, tool }: PlayCall,
  { site, serviceUrl, brand }: CodeContext,
): Html {
  const withKey = site.terms !== null;
  const programs = buildPrograms({ method, url: serviceUrl + target, body, withKey });
  const config = renderCodeBlock({
    id: 'code-mcp',
    label: 'mcp.json',
    code: formatMcpConfig({ site, serviceUrl }),
  });
  const call = renderCodeBlock({
    id: 'code-tool',
    label: 'The agent then calls',
    code: `${brand}_${tool.name} ${JSON.stringify(tool.given, null, 2)}`,
  });
  const panels = [
    ...programs.map(({ language, code }) => ({
      title: language,
      body: renderCodeBlock({ id: `code-${language.toLowerCase()}`, label: language, code }),
    })),
    { title: 'MCP', body: html`${config}${call}` },
  ];
  return renderTabs({ name: 'code', legend: 'This call as code', panels });
}

function formatMcpConfig({ site, serviceUrl }: Pick<CodeContext, 'site' | 'serviceUrl'>): string {
  const name = site.name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const headers = site.terms === null ? {} : { headers: { Authorization: 'Bearer <key>' } };
  const server = { type: 'http', url: `${serviceUrl}/mcp`, ...headers };
  return JSON.stringify({ mcpServers: { [name]: server } }, null, 2);
}
