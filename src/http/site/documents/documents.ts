import { readdirSync, readFileSync } from 'node:fs';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, Call } from '../../calls/call.ts';
import { page } from '../layout.ts';
import type { Website } from '../shell/site.ts';
import { documentHtml } from './document-html.ts';

/** The others are found beside it. */
const PRIVACY_FILE = new URL('../../../../docs/privacy.md', import.meta.url);
/** The text of a document of docs/, such as `quality.md`, so that pages repeat nothing that is written there. */
export const textOf = (path: string): string => readFileSync(new URL(path, PRIVACY_FILE), 'utf8');

const PRIVACY = textOf('privacy.md');
/** What a server without keys and prices leaves out. */
const METERED_SECTION = '## Keys, charges and payments\n';
const INDEX = textOf('integrations.md');
/** Name of a page -> its Markdown. */
const PAGES: ReadonlyMap<string, string> = new Map(
  readdirSync(new URL('integrations/', PRIVACY_FILE)).map((file) => [
    file.replace(/\.md$/, ''),
    textOf(`integrations/${file}`),
  ]),
);

/** What the documents call the address of the service. */
const BASE_URL = '{base_url}';

type Handle = (call: Call) => Promise<Answer>;

type Deps = { serviceUrl(): string; site: Website };

/** GET /privacy: docs/privacy.md. */
export function privacy(deps: Deps): Handle {
  const sections = PRIVACY.split(/^(?=## )/m);
  const told = sections.filter((section) => deps.site.terms !== null || !section.startsWith(METERED_SECTION));
  return madeOnce(() => shown(told.join(''), deps));
}

/** GET /docs/integrations: docs/integrations.md. */
export function integrations(deps: Deps): Handle {
  return madeOnce(() => shown(INDEX, { ...deps, place: '/docs' }));
}

/** GET /docs/integrations/{name}: a page of docs/integrations, with the address of this service in its recipes. */
export function integration(deps: Deps): Handle {
  const handles = new Map(
    [...PAGES].map(([name, text]) => [name, madeOnce(() => shown(text, { ...deps, place: '/docs' }))]),
  );
  return async (call) => {
    const handle = handles.get(call.params.name ?? '');
    if (handle === undefined) throw new Failure('not_found', 'There is no such page.');
    return handle(call);
  };
}

/** By the first request, when the address of the service is known. */
function madeOnce(make: () => Answer): Handle {
  let answer: Answer | null = null;
  return async () => {
    answer ??= make();
    return answer;
  };
}

function shown(
  text: string,
  { serviceUrl, site, place }: Deps & Pick<Parameters<typeof page>[0], 'place'>,
): Answer {
  const [heading = ''] = text.split('\n');
  return page({
    site,
    title: heading.replace(/^# /, ''),
    ...(place === undefined ? {} : { place }),
    shared: true,
    main: documentHtml(text.replaceAll(BASE_URL, serviceUrl())),
  });
}
