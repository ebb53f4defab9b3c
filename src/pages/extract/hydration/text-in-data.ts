/**
 * Reads the text of pages whose visible body is nearly empty from the data that they carry for their scripts: framework states,
 * streams of server components, and JSON-LD. Data are parsed, never executed, and every format has bounds on size and depth.
 */
import { chooseContent } from '../content/choose-content.ts';
import { type MarkdownWithHeadings, writeMarkdown } from '../markdown/write-markdown.ts';
import type { PageFacts } from '../metadata/page-facts.ts';
import type { Tree, TreeElement, TreeNode } from '../table-shape.ts';
import { parseFlight } from './flight.ts';
import { collectPageStates, type PageState } from './page-states.ts';
import { findLongestProse } from './prose.ts';
import { makeElement } from './rich-text.ts';
import { buildStructuredText } from './structured-text.ts';

/** Minimum length of a text in the data; a shorter one is a teaser, not the page. */
const CHARS_MIN = 200;

type PageLocation = { url: string; resolve: (href: string) => string | null };

/**
 * Finds the text that a page carries as data: in the state that its framework starts from, or in its JSON-LD. The longest wins;
 * null when there is none.
 */
export function findTextInData(tree: Tree, facts: PageFacts, place: PageLocation): DataText | null {
  const states = collectPageStates(tree.root).map((state) => writeState(state, place));
  const found = [
    ...states.map((written) => addReadRoute('hydration', written)),
    addReadRoute('json-ld', writeNodes(buildStructuredText(facts.jsonLd), place)),
  ];
  const longest = found.reduce((most, one) => (measureLength(one) > measureLength(most) ? one : most), null);
  return measureLength(longest) >= CHARS_MIN ? longest : null;
}

type DataText = MarkdownWithHeadings & { readRoute: 'hydration' | 'json-ld' };

const addReadRoute = (
  readRoute: DataText['readRoute'],
  written: MarkdownWithHeadings | null,
): DataText | null => (written === null ? null : { ...written, readRoute });

const measureLength = (written: DataText | null): number => written?.markdown.length ?? 0;

function writeState(state: PageState, place: PageLocation): MarkdownWithHeadings | null {
  if ('stream' in state) {
    const root = parseFlight(state.stream);
    if (root === null) return null;
    const tree: Tree = { root, truncated: false };
    chooseContent(tree, { url: place.url });
    return writeMarkdown(tree, place.resolve);
  }
  const prose = findLongestProse(state.data, CHARS_MIN);
  if (prose === null) return null;
  return 'markdown' in prose ? readMarkdownText(prose.markdown) : writeNodes(prose.nodes, place);
}

function writeNodes(nodes: TreeNode[], { resolve }: PageLocation): MarkdownWithHeadings | null {
  if (nodes.length === 0) return null;
  const root: TreeElement = makeElement('#root', nodes);
  return writeMarkdown({ root, truncated: false }, resolve);
}

function readMarkdownText(markdown: string): MarkdownWithHeadings {
  const headings = [...markdown.matchAll(/^#{1,6}[ \t]+(\S[^\n]{0,300})$/gm)].map(([, text = '']) =>
    text.trim(),
  );
  return { markdown: markdown.trim(), headings };
}
