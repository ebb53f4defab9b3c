import { NO_ATTRIBUTES, type TreeElement } from '../../tree.ts';
import { finishLine } from '../inline/finish-inline.ts';
import { filterKeptElements, hasClass, readTextBelow } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';

/** Class names of callout boxes, mapped to the five kinds of GitHub's alert syntax. */
const KINDS: Record<string, string> = {
  note: 'NOTE',
  info: 'NOTE',
  seealso: 'NOTE',
  abstract: 'NOTE',
  summary: 'NOTE',
  todo: 'NOTE',
  question: 'NOTE',
  example: 'NOTE',
  admonition: 'NOTE',
  tip: 'TIP',
  hint: 'TIP',
  success: 'TIP',
  check: 'TIP',
  important: 'IMPORTANT',
  warning: 'WARNING',
  attention: 'WARNING',
  warn: 'WARNING',
  caution: 'CAUTION',
  danger: 'CAUTION',
  error: 'CAUTION',
  bug: 'CAUTION',
  failure: 'CAUTION',
};
const BOX =
  /(?:^|\s)(?:admonition|markdown-alert|callout|theme-admonition|alert|hint|notification|custom-block|docutils-admonition|admonitionblock)(?=\s|$|-)/i;
/** Classes of boxes that are named by their kind alone, as in DocBook. */
const BARE = /^(?:note|tip|important|warning|caution|sidebar)$/;
const TAGS = new Set(['div', 'aside', 'section', 'blockquote', 'details']);
const TITLE =
  /(?:^|[\s_-])(?:title|admonition-title|markdown-alert-title|callout-title|heading|admonition-heading|custom-block-title)(?=\s|$)/i;

/** Detects the kind of callout that an element is, or null. */
export function detectCalloutKind({ tag, attributes }: TreeElement): string | null {
  if (attributes === NO_ATTRIBUTES || !TAGS.has(tag)) return null;
  const { class: classes = '' } = attributes;
  if (classes === '' && attributes['data-callout'] === undefined) return null;
  const words = classes.toLowerCase().split(/\s+/);
  if (words.length === 1 && BARE.test(words[0] ?? '')) return KINDS[words[0] ?? ''] ?? null;
  const named =
    attributes['data-callout'] ??
    (BOX.test(classes)
      ? words
          .map((word) => word.split('-').at(-1) ?? '')
          .find((word) => Object.hasOwn(KINDS, word) && word !== 'admonition')
      : undefined);
  if (named !== undefined) return Object.hasOwn(KINDS, named) ? (KINDS[named] ?? 'NOTE') : 'NOTE';
  return words.includes('admonition') ? 'NOTE' : null;
}

/** Writes a note, tip or warning box as a quote that begins with its kind; a title that differs from the kind is kept. */
export function writeCallout(element: TreeElement, kind: string, context: WriterContext): void {
  const title = findCalloutTitle(element);
  const before = context.writer.count();
  const wasTight = context.tight;
  context.tight = false;
  context.writer.enter('> ', '> ');
  const rest = selectCalloutBody(element, title);
  const text = title === null ? '' : finishLine(context.inline(title.children), ' ');
  const says = text.toLowerCase().replace(/[^\p{L}]/gu, '');
  const hasBody = rest.some((node) => readTextBelow(node, true).trim() !== '');
  if (hasBody || text !== '') {
    context.writer.block([`[!${kind}]`]);
    context.writer.closeUp();
    if (text !== '' && says !== kind.toLowerCase()) {
      context.writer.block([`**${text.replace(/^\*+|(?<!\*)\*+$/g, '')}**`]);
    }
    context.blocks(rest);
    context.writer.setOff();
  }
  context.writer.leave();
  context.tight = wasTight;
  if (context.writer.count() > before) context.pendingLink = null;
}

function findCalloutTitle(element: TreeElement): TreeElement | null {
  const [first] = filterKeptElements(element.children);
  if (first === undefined) return null;
  if (hasClass(first, TITLE) || /^h[1-6]$/.test(first.tag)) return first;
  const [inner] = first.tag === 'div' || first.tag === 'header' ? filterKeptElements(first.children) : [];
  return inner !== undefined && hasClass(inner, TITLE) ? inner : null;
}

function selectCalloutBody(element: TreeElement, title: TreeElement | null): TreeElement['children'] {
  if (title === null) return element.children;
  return element.children.flatMap((node) =>
    node === title
      ? []
      : node === title.parent
        ? title.parent.children.filter((other) => other !== title)
        : [node],
  );
}
