/**
 * Completes the text of product pages: price, specifications and variants that only a page's structured data have are appended
 * under a heading of their own. Articles and pages with several products are left as they are.
 */
import { makeElement, makeText, parseNodes } from '../hydration/rich-text.ts';
import type { MarkdownWithHeadings } from '../markdown/write-markdown.ts';
import { writeMarkdown } from '../markdown/write-markdown.ts';
import type { UrlResolver } from '../metadata/addresses.ts';
import type { PageFacts } from '../metadata/page-facts.ts';
import type { Tree, TreeNode } from '../table-shape.ts';
import { findProductData, type ProductData } from './product-data.ts';

/** Length of the beginning of a description that is searched for in the text. */
const DESCRIPTION_CHARS = 60;
/** Types of articles, which may carry the data of the products they are about. */
const ARTICLE = /article$|^blogposting$/;

/** Appends the product data that the text of a page lacks to its Markdown. */
export function appendProductPart<Shown extends MarkdownWithHeadings>(
  shown: Shown,
  page: { tree: Tree; facts: PageFacts; resolve: UrlResolver },
): Shown {
  const { jsonLd } = page.facts;
  if (jsonLd.some(({ types }) => types.some((type) => ARTICLE.test(type)))) return shown;
  const data = findProductData(jsonLd, page.tree.root);
  const nodes = data === null ? [] : buildProductPart(data, shown.markdown);
  if (nodes.length === 0) return shown;
  const part = writeMarkdown({ root: makeElement('#root', nodes), truncated: false }, page.resolve);
  return {
    ...shown,
    markdown: [shown.markdown, part.markdown].filter((text) => text !== '').join('\n\n'),
    headings: [...shown.headings, ...part.headings],
  };
}

/** Builds the section with the product data that the text lacks, under its own heading; [] when nothing is missing. */
function buildProductPart({ description, facts, variants }: ProductData, text: string): TreeNode[] {
  const shown = normalizeWords(text);
  const has = (wanted: string): boolean => shown.includes(` ${normalizeWords(wanted).trim()} `);
  const paragraphs = description === null || has(cutStart(description)) ? [] : buildParagraphs(description);
  const missing = facts.filter(([name, value]) => !(name === 'Price' ? hasPrice(text, value) : has(value)));
  const others = variants.filter(([name]) => !has(name));
  const parts = [
    ...paragraphs,
    ...buildList(missing.map(([name, value]) => `${name}: ${value}`)),
    ...(others.length < 2
      ? []
      : [
          makeElement('h3', [makeText('Variants')]),
          ...buildList(others.map((variant) => variant.filter((text) => text !== '').join(', '))),
        ]),
  ];
  return parts.length === 0 ? [] : [makeElement('h2', [makeText('Product details')]), ...parts];
}

/** Normalizes a text to lower-case words with a space on either side of each. */
const normalizeWords = (text: string): string =>
  ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;

/** Cuts the beginning of a description at a word, without markup. */
function cutStart(description: string): string {
  const plain = description.replace(/<[^<>]{1,500}>|&\w{1,8};/g, ' ').trim();
  return plain.length <= DESCRIPTION_CHARS
    ? plain
    : plain.slice(0, plain.lastIndexOf(' ', DESCRIPTION_CHARS));
}

/** Returns whether the text has the amounts of a price; pages write 1299.00 as 1,299, 1.299,00 or 1 299.00. */
function hasPrice(text: string, price: string): boolean {
  const shown = new Set((text.match(NUMBER) ?? []).map(toCents));
  return (price.match(NUMBER) ?? []).every((amount) => shown.has(toCents(amount)));
}

const NUMBER = /\d(?:[.,\u00a0\u202f ’']?\d){0,15}/g;

/** Converts to cents: `1.299,5` -> `129950`. One or two digits after the last mark are cents. */
function toCents(number: string): string {
  const [, part = ''] = /[.,](\d\d?)$/.exec(number) ?? [];
  const whole = part === '' ? number : number.slice(0, -part.length);
  return `${whole.replace(/\D/g, '')}${part.padEnd(2, '0')}`;
}

function buildParagraphs(text: string): TreeNode[] {
  return text
    .split(/\n+/)
    .filter((part) => part.trim() !== '')
    .map((part) => makeElement('p', parseNodes(part)));
}

function buildList(items: string[]): TreeNode[] {
  return items.length === 0
    ? []
    : [
        makeElement(
          'ul',
          items.map((item) => makeElement('li', [makeText(item)])),
        ),
      ];
}
