import type { Article } from '../../article.ts';
import { writeMarkdown } from '../markdown/write-markdown.ts';
import type { Resolve } from '../metadata/addresses.ts';
import { parseTree } from '../parse/parse-tree.ts';
import type { Tree, TreeText } from '../tree.ts';
import type { AttributeWanted, ExtrasWanted, PageExtras } from './extras-types.ts';
import { mapFields } from './map-fields.ts';
import { imagesIn, linksIn, listedElements } from './page-lists.ts';
import { selectPart } from './select-part.ts';
import { elementsMatching } from './selector.ts';
import { escapeHtml, writeHtml } from './write-html.ts';

/** An extracted page: its tree with the main content marked as kept, the texts of its comments, its source, and its Markdown. */
type ExtractedPage = { tree: Tree; comments: TreeText[]; resolve: Resolve; html: string; markdown: string };

/** Takes from a page what is wanted besides its article. Marks the selection as kept in its tree. */
export function takeExtras(
  { tree, comments, resolve, html, markdown }: ExtractedPage,
  { selection, attributes, fields, ...wanted }: ExtrasWanted,
): PageExtras {
  // Selectors see the whole page, whatever is kept of it.
  const values = attributes?.map((one) => attributeValues(tree, one));
  const json = fields === undefined ? {} : { fields: mapFields(tree, fields, resolve) };
  if (selection !== null) selectPart(tree, selection, comments);
  return {
    markdown: selection === null ? markdown : writeMarkdown(tree, resolve).markdown,
    ...(wanted.html ? { html: writeHtml(tree.root, resolve) } : {}),
    ...(wanted.rawHtml ? { rawHtml: html } : {}),
    ...(wanted.links ? { links: linksIn(listedElements(tree.root, wanted.links), resolve) } : {}),
    ...(wanted.images ? { images: imagesIn(listedElements(tree.root, wanted.images), resolve) } : {}),
    ...(values === undefined ? {} : { attributes: values }),
    ...json,
  };
}

/** The same for a page without elements; no selector finds anything on it. The text of a document is ''. */
export function textExtras(
  text: string,
  { markdown, links }: Pick<Article, 'markdown' | 'links'>,
  { selection, attributes, fields, ...wanted }: ExtrasWanted,
): PageExtras {
  return {
    markdown: selection !== null && selection.include.length > 0 ? '' : markdown,
    ...(wanted.html ? { html: `<pre>${escapeHtml(text === '' ? markdown : text)}</pre>` } : {}),
    ...(wanted.rawHtml ? { rawHtml: text } : {}),
    ...(wanted.links ? { links: links.map((url) => ({ url, text: '' })) } : {}),
    ...(wanted.images ? { images: [] } : {}),
    ...(attributes === undefined ? {} : { attributes: attributes.map(() => []) }),
    ...(fields === undefined ? {} : { fields: mapFields(parseTree(''), fields, () => null) }),
  };
}

/** What is wrong with such a page. */
export const NOTHING_SELECTED = 'the part of the page that was asked for has no text';

/** Whether a part of the page was selected that has no text. */
export function selectsNothing({ selection }: ExtrasWanted, { markdown }: PageExtras): boolean {
  return selection !== null && markdown.trim() === '';
}

function attributeValues({ root }: Tree, { selector, attribute }: AttributeWanted): string[] {
  const name = attribute.toLowerCase();
  return elementsMatching(root, selector).flatMap(({ attributes }) => {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    return value === undefined ? [] : [value];
  });
}
