import { createFetchFailure } from '../contract/errors.ts';
import type { FetchedResponse } from '../platform/net/fetch-types.ts';
import { escapeXml } from '../text/xml/escape-xml.ts';
import type { Credentials, InterfaceMethod, InterfaceRequest } from './private-site-types.ts';

type Token = Extract<Credentials, { token: string }>;
type ReadResponse = InterfaceRequest['read'];

const GITHUB_ORIGIN = 'https://github.com';

/**
 * Builds the request that reads a page of Confluence, GitHub or GitLab by the service's public interface, which takes tokens where its web
 * pages want a browser's session. Null for pages that the interface does not have; they are read like any other page.
 */
export function buildInterfaceRequest(url: URL, credentials: Token): InterfaceRequest | null {
  return BUILDERS[credentials.method](url, credentials);
}

const BUILDERS: Record<InterfaceMethod, (url: URL, token: Token) => InterfaceRequest | null> = {
  confluence: buildConfluenceRequest,
  github: buildGithubRequest,
  gitlab: buildGitlabRequest,
};

/** https://developer.atlassian.com/server/confluence/confluence-rest-api-examples/ */
function buildConfluenceRequest(url: URL, { token, user }: Token): InterfaceRequest | null {
  const base = url.pathname.startsWith('/wiki/') ? `${url.origin}/wiki` : url.origin;
  const path = url.pathname.replace(/^\/wiki(?=\/)/, '');
  const id = /^\/spaces\/[^/]+\/pages\/(\d+)/.exec(path)?.[1] ?? url.searchParams.get('pageId');
  const [, space, title] = /^\/display\/([^/]+)\/([^/]+)\/?$/.exec(path) ?? [];
  const expand = 'expand=body.view';
  const authorization =
    user === null ? `Bearer ${token}` : `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;
  const headers = { authorization, accept: 'application/json' };
  if (id !== null && id !== undefined && /^\d+$/.test(id))
    return { url: `${base}/rest/api/content/${id}?${expand}`, headers, read: readConfluencePage };
  if (space === undefined || title === undefined) return null;
  // A `+` of such an address is a space, as in a query.
  const query = `spaceKey=${space}&title=${title}&${expand}`;
  return { url: `${base}/rest/api/content?${query}`, headers, read: readConfluencePage };
}

const readConfluencePage: ReadResponse = (response) => {
  const found = parseJson(response);
  const page = Array.isArray(found.results) ? found.results[0] : found;
  const [title, html] = [pick(page, 'title'), pick(page, 'body', 'view', 'value')];
  if (html === null) throw createUnreadable();
  const name = escapeXml(title ?? '');
  const markup = `<!doctype html><meta charset="utf-8"><title>${name}</title><main><h1>${name}</h1>${html}</main>`;
  return { body: encode(markup), contentType: 'text/html; charset=utf-8' };
};

/** https://docs.github.com/en/rest/repos/contents */
function buildGithubRequest(url: URL, { token }: Token): InterfaceRequest | null {
  const base = url.origin === GITHUB_ORIGIN ? 'https://api.github.com' : `${url.origin}/api/v3`;
  const [owner, repository, kind, ...rest] = url.pathname.split('/').filter((part) => part !== '');
  if (owner === undefined || repository === undefined) return null;
  const place = `${base}/repos/${owner}/${repository}`;
  const authorization = `Bearer ${token}`;
  const raw = { authorization, accept: 'application/vnd.github.raw+json' };
  const [first = '', ...path] = rest;
  if (kind === undefined) return { url: `${place}/readme`, headers: raw, read: readFile('README.md') };
  if (kind === 'blob' && path.length > 0)
    return {
      url: `${place}/contents/${path.join('/')}?ref=${first}`,
      headers: raw,
      read: readFile(url.pathname),
    };
  if ((kind === 'issues' || kind === 'pull') && /^\d+$/.test(first) && path.length === 0)
    return {
      url: `${place}/issues/${first}`,
      headers: raw,
      read: readText('body'),
    };
  return null;
}

/** https://docs.gitlab.com/api/repository_files/ */
function buildGitlabRequest(url: URL, { token }: Token): InterfaceRequest | null {
  const [project = '', rest = ''] = url.pathname.split('/-/');
  const name = project.replace(/^\/|\/$/g, '');
  if (!name.includes('/')) return null;
  const place = `${url.origin}/api/v4/projects/${name.replaceAll('/', '%2F')}`;
  const headers = { 'private-token': token, accept: '*/*' };
  const [kind, first = '', ...path] = rest.split('/');
  if (rest === '')
    return {
      url: `${place}/repository/files/README.md/raw?ref=HEAD`,
      headers,
      read: readFile('README.md'),
    };
  if (kind === 'blob' && path.length > 0)
    return {
      url: `${place}/repository/files/${path.join('%2F')}/raw?ref=${first}`,
      headers,
      read: readFile(url.pathname),
    };
  if ((kind === 'issues' || kind === 'merge_requests') && /^\d+$/.test(first) && path.length === 0)
    return { url: `${place}/${kind}/${first}`, headers, read: readText('description') };
  if (kind === 'wikis' && first !== '')
    return {
      url: `${place}/wikis/${[first, ...path].join('%2F')}`,
      headers,
      read: readText('content'),
    };
  return null;
}

/** The raw text of a file; its name says what it is, because interfaces send all files with one type. */
const readFile =
  (path: string): ReadResponse =>
  ({ body }) => ({
    body,
    contentType: `${/\.(?:md|markdown|mdown)$/i.test(path) ? 'text/markdown' : 'text/plain'}; charset=utf-8`,
  });

/** A title, and Markdown in the field `name`. */
const readText =
  (name: string): ReadResponse =>
  (response) => {
    const found = parseJson(response);
    const title = pick(found, 'title');
    if (title === null) throw createUnreadable();
    return {
      body: encode(`# ${title}\n\n${pick(found, name) ?? ''}\n`),
      contentType: 'text/markdown; charset=utf-8',
    };
  };

function parseJson({ body }: FetchedResponse): Record<string, unknown> {
  try {
    return Object(JSON.parse(new TextDecoder().decode(body))) as Record<string, unknown>;
  } catch {
    throw createUnreadable();
  }
}

/** Returns the text at a path of fields; null if there is none. */
function pick(value: unknown, ...path: string[]): string | null {
  let found = value;
  for (const name of path) found = (Object(found) as Record<string, unknown>)[name];
  return typeof found === 'string' ? found : null;
}

const createUnreadable = (): Error =>
  createFetchFailure('protocol', 'the interface of the site did not answer with a page');

const encode = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));
