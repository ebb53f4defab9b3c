import { readdirSync, readFileSync } from 'node:fs';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, FreeRoute } from '../../calls/call.ts';
import type { Terms } from '../../calls/terms.ts';
import { page } from '../layout.ts';
import { documentHtml } from './document-html.ts';

const DOCS = new URL('../../../../docs/', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, DOCS), 'utf8');

const INDEX = textOf('integrations.md');
/** Name of a page -> its Markdown. */
const PAGES: ReadonlyMap<string, string> = new Map(
  readdirSync(new URL('integrations/', DOCS)).map((file) => [
    file.replace(/\.md$/, ''),
    textOf(`integrations/${file}`),
  ]),
);

/** What the documents call the address of the service. */
const BASE_URL = '{base_url}';

type Deps = { serviceUrl(): string; terms: Terms | null };

/** GET /docs/integrations: docs/integrations.md. */
export function integrations(deps: Deps): FreeRoute['handle'] {
  return async () => shown(INDEX, deps);
}

/** GET /docs/integrations/{name}: a page of docs/integrations, with the address of this service in its recipes. */
export function integration(deps: Deps): FreeRoute['handle'] {
  return async ({ params }) => {
    const text = PAGES.get(params.name ?? '');
    if (text === undefined) throw new Failure('not_found', 'There is no such page.');
    return shown(text, deps);
  };
}

function shown(text: string, { serviceUrl, terms }: Deps): Answer {
  const [heading = ''] = text.split('\n');
  return page({
    title: `${heading.replace(/^# /, '')} · Sanderling`,
    place: '/docs',
    shared: true,
    unmetered: terms === null,
    main: documentHtml(text.replaceAll(BASE_URL, serviceUrl())),
  });
}
