import { makeElement, makeText, nodesOfHtml } from '../hydration/make-element.ts';
import type { Written } from '../markdown/write-markdown.ts';
import { writeMarkdown } from '../markdown/write-markdown.ts';
import type { Resolve } from '../metadata/addresses.ts';
import type { PageFacts } from '../metadata/page-facts.ts';
import type { Tree, TreeNode } from '../tree.ts';
import { type ProductData, productData } from './product-data.ts';

/** This much of a description's beginning tells whether the text has it. */
const DESCRIPTION_CHARS = 60;
/** An article about products has their data too. */
const ARTICLE = /article$|^blogposting$/;

/** The Markdown of a page with what its data say of the product that it sells, and its text does not. */
export function withProduct<Shown extends Written>(
  shown: Shown,
  page: { tree: Tree; facts: PageFacts; resolve: Resolve },
): Shown {
  const { jsonLd } = page.facts;
  if (jsonLd.some(({ types }) => types.some((type) => ARTICLE.test(type)))) return shown;
  const data = productData(jsonLd, page.tree.root);
  const nodes = data === null ? [] : productPart(data, shown.markdown);
  if (nodes.length === 0) return shown;
  const part = writeMarkdown({ root: makeElement('#root', nodes), truncated: false }, page.resolve);
  return {
    ...shown,
    markdown: [shown.markdown, part.markdown].filter((text) => text !== '').join('\n\n'),
    headings: [...shown.headings, ...part.headings],
  };
}

/** What a product's data say and the text of its page does not, under a heading of its own; [] where nothing is missing. */
function productPart({ description, facts, variants }: ProductData, text: string): TreeNode[] {
  const shown = words(text);
  const has = (wanted: string): boolean => shown.includes(` ${words(wanted).trim()} `);
  const paragraphs = description === null || has(startOf(description)) ? [] : prose(description);
  const missing = facts.filter(([name, value]) => !(name === 'Price' ? hasPrice(text, value) : has(value)));
  const others = variants.filter(([name]) => !has(name));
  const parts = [
    ...paragraphs,
    ...list(missing.map(([name, value]) => `${name}: ${value}`)),
    ...(others.length < 2
      ? []
      : [
          makeElement('h3', [makeText('Variants')]),
          ...list(others.map((variant) => variant.filter((text) => text !== '').join(', '))),
        ]),
  ];
  return parts.length === 0 ? [] : [makeElement('h2', [makeText('Product details')]), ...parts];
}

/** Lower-case words, each between spaces. */
const words = (text: string): string => ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;

/** Without markup and cut at a word. */
function startOf(description: string): string {
  const plain = description.replace(/<[^<>]{1,500}>|&\w{1,8};/g, ' ').trim();
  return plain.length <= DESCRIPTION_CHARS
    ? plain
    : plain.slice(0, plain.lastIndexOf(' ', DESCRIPTION_CHARS));
}

/** Pages write 1299.00 as 1,299, 1.299,00 or 1 299.00. */
function hasPrice(text: string, price: string): boolean {
  const shown = new Set((text.match(NUMBER) ?? []).map(centsOf));
  return (price.match(NUMBER) ?? []).every((amount) => shown.has(centsOf(amount)));
}

const NUMBER = /\d(?:[.,\u00a0\u202f ’']?\d){0,15}/g;

/** `1.299,5` -> `129950`: two digits or one behind the last sign are cents. */
function centsOf(number: string): string {
  const [, part = ''] = /[.,](\d\d?)$/.exec(number) ?? [];
  const whole = part === '' ? number : number.slice(0, -part.length);
  return `${whole.replace(/\D/g, '')}${part.padEnd(2, '0')}`;
}

function prose(text: string): TreeNode[] {
  return text
    .split(/\n+/)
    .filter((part) => part.trim() !== '')
    .map((part) => makeElement('p', nodesOfHtml(part)));
}

function list(items: string[]): TreeNode[] {
  return items.length === 0
    ? []
    : [
        makeElement(
          'ul',
          items.map((item) => makeElement('li', [makeText(item)])),
        ),
      ];
}
