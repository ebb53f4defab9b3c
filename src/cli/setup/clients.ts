/**
 * The clients that `sanderling setup` knows: where each keeps its servers and skills, and how it writes one down. The formats are those
 * of their makers' documents, as of November 2026:
 * Claude Code https://code.claude.com/docs/en/mcp and /skills, Claude Desktop https://modelcontextprotocol.io/quickstart/user,
 * Cursor https://cursor.com/docs/mcp and /context/skills, VS Code https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
 * and /docs/agent-customization/agent-skills, Codex https://developers.openai.com/codex/mcp and /skills,
 * Gemini CLI https://geminicli.com/docs/tools/mcp-server and /docs/cli/skills, Zed https://zed.dev/docs/ai/mcp,
 * Windsurf https://docs.windsurf.com/windsurf/cascade/mcp and /skills.
 */
import { join } from 'node:path';
import type { McpServerTarget } from '../../http/mcp/probe-mcp.ts';

/** The user's folders: where clients keep their settings. */
export type UserPlace = {
  home: string;
  platform: NodeJS.Platform;
  /** The environment, for the variables with which users move these folders. */
  variables: Record<string, string | undefined>;
};

/** A client's entry for one server. */
type ServerEntry = Record<string, string | string[] | Record<string, string>>;

export type Client = {
  title: string;
  format: 'json' | 'toml';
  /** The name of the list of servers in the file. */
  list: string;
  findFile(place: UserPlace): string;
  /** Files and folders of which one exists where the client is installed. */
  findSigns(place: UserPlace): string[];
  /** The file of a project, below its folder; null: the client has none. */
  projectFile: string | null;
  /** The folder of the user's skills; null: the client has none. */
  findSkills: ((place: UserPlace) => string) | null;
  projectSkills: string | null;
  /** Null: the client only starts commands. */
  describeAddress: ((url: string, headers: ServerHeaders) => ServerEntry) | null;
  describeCommand(command: Omit<Extract<McpServerTarget, { kind: 'command' }>, 'kind'>): ServerEntry;
};

type ServerHeaders = { Authorization: string } | null;

export const CLIENT_NAMES = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'codex',
  'gemini',
  'zed',
  'windsurf',
] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

export const CLIENTS: Record<ClientName, Client> = {
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    list: 'mcpServers',
    findFile: (place) => join(place.variables.CLAUDE_CONFIG_DIR || place.home, '.claude.json'),
    findSigns: (place) => [findClaudeFolder(place), join(place.home, '.claude.json')],
    projectFile: '.mcp.json',
    findSkills: (place) => join(findClaudeFolder(place), 'skills'),
    projectSkills: '.claude/skills',
    describeAddress: (url, headers) => withHeaders({ type: 'http', url }, headers),
    describeCommand: ({ command, args, env }) => ({ type: 'stdio', command, args, env }),
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    format: 'json',
    list: 'mcpServers',
    findFile: (place) => join(findApplicationFolder(place), 'Claude/claude_desktop_config.json'),
    findSigns: (place) => [join(findApplicationFolder(place), 'Claude')],
    projectFile: null,
    findSkills: null,
    projectSkills: null,
    describeAddress: null,
    describeCommand: ({ command, args, env }) => ({ command, args, env }),
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    list: 'mcpServers',
    findFile: ({ home }) => join(home, '.cursor/mcp.json'),
    findSigns: ({ home }) => [join(home, '.cursor')],
    projectFile: '.cursor/mcp.json',
    findSkills: ({ home }) => join(home, '.cursor/skills'),
    projectSkills: '.cursor/skills',
    describeAddress: (url, headers) => withHeaders({ url }, headers),
    describeCommand: ({ command, args, env }) => ({ command, args, env }),
  },
  vscode: {
    title: 'VS Code',
    format: 'json',
    list: 'servers',
    findFile: (place) => join(findApplicationFolder(place), 'Code/User/mcp.json'),
    findSigns: (place) => [join(findApplicationFolder(place), 'Code/User')],
    projectFile: '.vscode/mcp.json',
    findSkills: ({ home }) => join(home, '.copilot/skills'),
    projectSkills: '.github/skills',
    describeAddress: (url, headers) => withHeaders({ type: 'http', url }, headers),
    describeCommand: ({ command, args, env }) => ({ type: 'stdio', command, args, env }),
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    list: 'mcp_servers',
    findFile: (place) => join(findCodexFolder(place), 'config.toml'),
    findSigns: (place) => [findCodexFolder(place)],
    projectFile: '.codex/config.toml',
    findSkills: ({ home }) => join(home, '.agents/skills'),
    projectSkills: '.agents/skills',
    describeAddress: (url, headers) => (headers === null ? { url } : { url, http_headers: headers }),
    describeCommand: ({ command, args, env }) => ({ command, args, env }),
  },
  gemini: {
    title: 'Gemini CLI',
    format: 'json',
    list: 'mcpServers',
    findFile: ({ home }) => join(home, '.gemini/settings.json'),
    findSigns: ({ home }) => [join(home, '.gemini')],
    projectFile: '.gemini/settings.json',
    findSkills: ({ home }) => join(home, '.gemini/skills'),
    projectSkills: '.gemini/skills',
    // `url` is the older transport here.
    describeAddress: (url, headers) => withHeaders({ httpUrl: url }, headers),
    describeCommand: ({ command, args, env }) => ({ command, args, env }),
  },
  zed: {
    title: 'Zed',
    format: 'json',
    list: 'context_servers',
    findFile: (place) => join(findZedFolder(place), 'settings.json'),
    findSigns: (place) => [findZedFolder(place)],
    projectFile: '.zed/settings.json',
    findSkills: null,
    projectSkills: null,
    describeAddress: (url, headers) => withHeaders({ url }, headers),
    describeCommand: ({ command, args, env }) => ({ command, args, env }),
  },
  windsurf: {
    title: 'Windsurf',
    format: 'json',
    list: 'mcpServers',
    findFile: ({ home }) => join(home, '.codeium/windsurf/mcp_config.json'),
    findSigns: ({ home }) => [join(home, '.codeium/windsurf')],
    projectFile: null,
    findSkills: ({ home }) => join(home, '.codeium/windsurf/skills'),
    projectSkills: null,
    describeAddress: (url, headers) => withHeaders({ serverUrl: url }, headers),
    describeCommand: ({ command, args, env }) => ({ command, args, env }),
  },
};

/** Describes a server as the client writes it. */
export function describeServer(client: Client, target: McpServerTarget): ServerEntry {
  if (target.kind === 'command') {
    const { command, args, env } = target;
    return client.describeCommand({ command, args, env });
  }
  if (client.describeAddress === null) throw new TypeError(`${client.title} only starts commands`);
  const { url, key } = target;
  return client.describeAddress(url, key === null ? null : { Authorization: `Bearer ${key}` });
}

function withHeaders(entry: Record<string, string>, headers: ServerHeaders): ServerEntry {
  return headers === null ? entry : { ...entry, headers };
}

function findClaudeFolder({ home, variables }: UserPlace): string {
  return variables.CLAUDE_CONFIG_DIR || join(home, '.claude');
}

function findCodexFolder({ home, variables }: UserPlace): string {
  return variables.CODEX_HOME || join(home, '.codex');
}

function findZedFolder({ home, platform, variables }: UserPlace): string {
  if (platform === 'win32') return join(variables.APPDATA || join(home, 'AppData/Roaming'), 'Zed');
  return join((platform === 'linux' && variables.XDG_CONFIG_HOME) || join(home, '.config'), 'zed');
}

/** Finds the folder in which desktop applications keep their settings. */
function findApplicationFolder({ home, platform, variables }: UserPlace): string {
  if (platform === 'win32') return variables.APPDATA || join(home, 'AppData/Roaming');
  if (platform === 'darwin') return join(home, 'Library/Application Support');
  return variables.XDG_CONFIG_HOME || join(home, '.config');
}
