/**
 * Extras: everything a caller may want of a page besides its article, such as a selected part, clean HTML, links, images,
 * attributes and mapped fields. They are built for one caller from the tree of the extraction and are never cached.
 */
import type { Article } from '../../article.ts';
import { writeMarkdown } from '../markdown/write-markdown.ts';
import type { UrlResolver } from '../metadata/addresses.ts';
import { parseTree } from '../parse/parse-tree.ts';
import type { Tree, TreeText } from '../tree.ts';
import type { AttributeRequest, ExtrasRequest, PageExtras } from './extras-types.ts';
import { mapFields } from './map-fields.ts';
import { collectElements, listImages, listLinks } from './page-lists.ts';
import { selectPart } from './select-part.ts';
import { findMatchingElements } from './selector.ts';
import { escapeHtml, writeHtml } from './write-html.ts';

/** An extracted page: its tree with the main content marked, the texts of its comments, its source and its Markdown. */
type ExtractedPage = {
  tree: Tree;
  comments: TreeText[];
  resolve: UrlResolver;
  html: string;
  markdown: string;
};

/** Builds the requested extras of a page. Marks the selection as kept in its tree. */
export function takeExtras(
  { tree, comments, resolve, html, markdown }: ExtractedPage,
  { selection, attributes, fields, ...wanted }: ExtrasRequest,
): PageExtras {
  // Selectors match on the whole page, kept or not.
  const values = attributes?.map((one) => readAttributeValues(tree, one));
  const json = fields === undefined ? {} : { fields: mapFields(tree, fields, resolve) };
  if (selection !== null) selectPart(tree, selection, comments);
  return {
    markdown: selection === null ? markdown : writeMarkdown(tree, resolve).markdown,
    ...(wanted.html ? { html: writeHtml(tree.root, resolve) } : {}),
    ...(wanted.rawHtml ? { rawHtml: html } : {}),
    ...(wanted.links ? { links: listLinks(collectElements(tree.root, wanted.links), resolve) } : {}),
    ...(wanted.images ? { images: listImages(collectElements(tree.root, wanted.images), resolve) } : {}),
    ...(values === undefined ? {} : { attributes: values }),
    ...json,
  };
}

/** Builds the extras of a page without elements, where no selector matches. The text of a document is ''. */
export function buildTextExtras(
  text: string,
  { markdown, links }: Pick<Article, 'markdown' | 'links'>,
  { selection, attributes, fields, ...wanted }: ExtrasRequest,
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

/** The error for an empty selection. */
export const NOTHING_SELECTED = 'the part of the page that was asked for has no text';

/** Returns whether the selected part of the page has no text. */
export function isEmptySelection({ selection }: ExtrasRequest, { markdown }: PageExtras): boolean {
  return selection !== null && markdown.trim() === '';
}

function readAttributeValues({ root }: Tree, { selector, attribute }: AttributeRequest): string[] {
  const name = attribute.toLowerCase();
  return findMatchingElements(root, selector).flatMap(({ attributes }) => {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    return value === undefined ? [] : [value];
  });
}
