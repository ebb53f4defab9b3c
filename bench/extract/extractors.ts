import { Readability } from '@mozilla/readability';
import { Parser } from 'htmlparser2';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { extractHtml } from '../../src/pages/extract/extract-html.ts';

/** HTML of a page -> Markdown of its main content. */
export type Extractor = (html: string, url: string) => string;

// linkedom has no types of a browser's DOM, which the peers name.
type ReadabilityDocument = ConstructorParameters<typeof Readability>[0];
type TurndownNode = Parameters<TurndownService['turndown']>[0];

/** What is compared, each from HTML to Markdown. The peers need a DOM; linkedom is the fastest they run on. */
export const EXTRACTORS: Record<string, Extractor> = { ours, readability, parse };

function ours(html: string, url: string): string {
  return extractHtml(html, url).markdown;
}

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });

function readability(html: string): string {
  const { document } = parseHTML(html);
  const article = new Readability(document as ReadabilityDocument).parse();
  if (article?.content == null) return '';
  // linkedom keeps a fragment only inside a whole page.
  const { document: content } = parseHTML(`<!doctype html><html><body>${article.content}</body></html>`);
  return turndown.turndown(content.body as TurndownNode);
}

/** Only reads the tags and texts of a page: what any extractor spends at least. */
function parse(html: string): string {
  let seen = 0;
  const count = (): void => {
    seen += 1;
  };
  new Parser({ onopentag: count, ontext: count, onclosetag: count }).end(html);
  if (seen === 0) throw new Error('a page without tags and text');
  return '';
}
