import { readFileSync } from 'node:fs';
import type { Answer } from '../../calls/call.ts';
import type { Terms } from '../../calls/terms.ts';
import { page } from '../layout.ts';
import { documentHtml } from './document-html.ts';

const TEXT = readFileSync(new URL('../../../../docs/privacy.md', import.meta.url), 'utf8');
/** What a server without keys and prices leaves out. */
const METERED_SECTION = '## Keys, charges and payments\n';

/** GET /privacy: docs/privacy.md. */
export function privacy({ terms }: { terms: Terms | null }): () => Promise<Answer> {
  const sections = TEXT.split(/^(?=## )/m);
  const text = sections.filter((section) => terms !== null || !section.startsWith(METERED_SECTION)).join('');
  const answer = page({
    title: 'Privacy · Sanderling',
    shared: true,
    unmetered: terms === null,
    main: documentHtml(text),
  });
  return async () => answer;
}
