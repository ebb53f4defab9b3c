import { chooseContent } from '../content/choose-content.ts';
import { type Written, writeMarkdown } from '../markdown/write-markdown.ts';
import type { PageFacts } from '../metadata/page-facts.ts';
import type { Tree, TreeElement, TreeNode } from '../tree.ts';
import { flightTree } from './flight.ts';
import { makeElement } from './make-element.ts';
import { type PageState, pageStates } from './page-states.ts';
import { longestProse } from './prose.ts';
import { structuredText } from './structured-text.ts';

/** A shorter text in the data is a teaser, not the page. */
const CHARS_MIN = 200;

type Place = { url: string; resolve: (href: string) => string | null };

/**
 * The text that a page carries as data for its scripts, for pages whose visible body is nearly empty: the state that its
 * framework starts from, or its JSON-LD; the longest wins. Null when there is none.
 */
export function textInData(tree: Tree, facts: PageFacts, place: Place): InData | null {
  const states = pageStates(tree.root).map((state) => textOfState(state, place));
  const found = [
    ...states.map((written) => from('hydration', written)),
    from('json-ld', writtenNodes(structuredText(facts.jsonLd), place)),
  ];
  const longest = found.reduce((most, one) => (lengthOf(one) > lengthOf(most) ? one : most), null);
  return lengthOf(longest) >= CHARS_MIN ? longest : null;
}

type InData = Written & { readRoute: 'hydration' | 'json-ld' };

const from = (readRoute: InData['readRoute'], written: Written | null): InData | null =>
  written === null ? null : { ...written, readRoute };

const lengthOf = (written: InData | null): number => written?.markdown.length ?? 0;

function textOfState(state: PageState, place: Place): Written | null {
  if ('stream' in state) {
    const root = flightTree(state.stream);
    if (root === null) return null;
    const tree: Tree = { root, truncated: false };
    chooseContent(tree, { url: place.url });
    return writeMarkdown(tree, place.resolve);
  }
  const prose = longestProse(state.data, CHARS_MIN);
  if (prose === null) return null;
  return 'markdown' in prose ? ofMarkdown(prose.markdown) : writtenNodes(prose.nodes, place);
}

function writtenNodes(nodes: TreeNode[], { resolve }: Place): Written | null {
  if (nodes.length === 0) return null;
  const root: TreeElement = makeElement('#root', nodes);
  return writeMarkdown({ root, truncated: false }, resolve);
}

function ofMarkdown(markdown: string): Written {
  const headings = [...markdown.matchAll(/^#{1,6}[ \t]+(\S[^\n]{0,300})$/gm)].map(([, text = '']) =>
    text.trim(),
  );
  return { markdown: markdown.trim(), headings };
}
