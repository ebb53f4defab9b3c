import { programsOf } from '../../programs/programs.ts';
import { type Html, html } from '../html.ts';
import { codeBlock, tabs } from '../shell/parts.ts';
import type { Website } from '../shell/site.ts';
import type { PlayCall } from './plays.ts';

export type CodeOf = { site: Website; serviceUrl: string; brand: string };

/** A call in curl, JavaScript and Python, and as the tool call of an agent with the configuration of its client. */
export function callAsCode(
  { method, target, body, tool }: PlayCall,
  { site, serviceUrl, brand }: CodeOf,
): Html {
  const withKey = site.terms !== null;
  const programs = programsOf({ method, url: serviceUrl + target, body, withKey });
  const config = codeBlock({ id: 'code-mcp', label: 'mcp.json', code: mcpConfig({ site, serviceUrl }) });
  const call = codeBlock({
    id: 'code-tool',
    label: 'The agent then calls',
    code: `${brand}_${tool.name} ${JSON.stringify(tool.given, null, 2)}`,
  });
  const panels = [
    ...programs.map(({ language, code }) => ({
      title: language,
      body: codeBlock({ id: `code-${language.toLowerCase()}`, label: language, code }),
    })),
    { title: 'MCP', body: html`${config}${call}` },
  ];
  return tabs({ name: 'code', legend: 'This call as code', panels });
}

function mcpConfig({ site, serviceUrl }: Pick<CodeOf, 'site' | 'serviceUrl'>): string {
  const name = site.name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const headers = site.terms === null ? {} : { headers: { Authorization: 'Bearer <key>' } };
  const server = { type: 'http', url: `${serviceUrl}/mcp`, ...headers };
  return JSON.stringify({ mcpServers: { [name]: server } }, null, 2);
}
