/**
 * Explains the choice of main content block by block, for operators and evaluations. It repeats the steps of `chooseContent` and
 * must agree with them; it plays no part in serving requests.
 */

import { chooseContent, forest, judgeBlocks, STEPS } from '../content/choose-content.ts';
import type { PageView } from '../content/comments.ts';
import { hasSeparateComments } from '../content/comments.ts';
import { buildFeatureTable, FEATURE_NAMES } from '../content/features/table.ts';
import type { Forest } from '../content/forest.ts';
import { HINTS } from '../content/hints.ts';
import { findLeftOutReasons, type LeftOutReason } from '../content/left-out-reasons.ts';
import { isInMargin } from '../content/margin.ts';
import type { Region } from '../content/regions.ts';
import type { OperatorRule } from '../content/rules/operator-rules.ts';
import { parseTree } from '../parse/build-tree.ts';
import type { TreeElement } from '../table-shape.ts';
import { type Contribution, describeContribution } from './describe-contribution.ts';

/** The part of the page that a block belongs to. */
type Section = 'main' | 'comments' | 'reviews' | 'margin';

/** The reasons why one block was kept or dropped. */
export type BlockReport = {
  kept: boolean;
  /** Probability of being content, 0 to 1. */
  score: number;
  section: Section;
  /** The reason for leaving the block out; null when it is kept. */
  leftOut: LeftOutReason | null;
  /** The last step that changed the decision; `score` when the score alone decided. */
  rule: string;
  /** The features that moved the score most. */
  reasons: Contribution[];
  /** The same in plain words, for the decision: those for a kept block, those against one that was left out. */
  because: string[];
  tag: string;
  /** A selector of the nearest element that has a name; null if none has. */
  selector: string | null;
  words: number;
  /** Those of `words` that are in links. */
  linkWords: number;
  text: string;
};

export type ChoiceReport = {
  /** The lowest score kept for its score alone; null when none was. */
  threshold: number | null;
  blocks: BlockReport[];
};

const REASONS_MAX = 4;
const WORDS_MAX = 3;
const BY_SCORE = 'score';

/** Explains for every block of a page whether it was kept, its score, and why. `rule`: the operator's for the site. */
export function explainChoice(html: string, url: string, rule: OperatorRule | null = null): ChoiceReport {
  const { view, probabilities } = chooseContent(parseTree(html), { url, rule });
  const { judged, kept, rules, threshold } = replay(view, probabilities);
  const table = buildFeatureTable(view);
  const explain = createExplainer(forest, FEATURE_NAMES);
  const width = FEATURE_NAMES.length;
  const reasons = findLeftOutReasons(view, kept);
  return {
    threshold,
    blocks: view.blocks.map(({ region, tally }, index) => {
      const moved = explain(table.subarray(index * width, (index + 1) * width));
      const isFor = (judged[index] ?? 0) >= (threshold ?? 1);
      return {
        kept: kept[index] ?? false,
        score: judged[index] ?? 0,
        section: detectSection(view, index),
        leftOut: reasons[index] ?? null,
        rule: rules[index] ?? BY_SCORE,
        reasons: moved.slice(0, REASONS_MAX),
        because: describeReasons(moved, isFor),
        tag: region.element.tag,
        selector: findSelector(region.element),
        words: tally.words,
        linkWords: tally.linkWords,
        text: view.texts[index] ?? '',
      };
    }),
  };
}

/** Describes what moved a score most to the side of the decision. */
function describeReasons(moved: readonly Contribution[], isFor: boolean): string[] {
  const words = moved.filter(({ weight }) => weight > 0 === isFor).map(describeContribution);
  return [...new Set(words)].slice(0, WORDS_MAX);
}

const SIMPLE_NAME = /^[A-Za-z_][\w-]*$/;

function findSelector(element: TreeElement): string | null {
  for (let up: TreeElement | null = element; up !== null; up = up.parent) {
    const { id = '', class: classes = '' } = up.attributes;
    if (SIMPLE_NAME.test(id)) return `#${id}`;
    const name = classes.split(/\s+/).find((each) => SIMPLE_NAME.test(each));
    if (name !== undefined) return `.${name}`;
  }
  return null;
}

/** Repeats the steps and records which one decided on each block. */
function replay(
  view: PageView,
  probabilities: Float32Array,
): { judged: Float32Array; kept: boolean[]; rules: string[]; threshold: number | null } {
  const kept = view.blocks.map(() => false);
  const judged = judgeBlocks(view, probabilities);
  const apart = hasSeparateComments(view);
  const rules: string[] = view.blocks.map((_, index) =>
    apart && view.comments[index] === 1 ? 'comments below an article' : BY_SCORE,
  );
  let threshold: number | null = null;
  for (const [number, [rule, apply]] of STEPS.entries()) {
    const before = [...kept];
    apply(view, judged, kept);
    if (number === 0) {
      const scores = [...judged].filter((_, index) => kept[index]);
      threshold = scores.length === 0 ? null : Math.min(...scores);
      continue;
    }
    for (const [index, now] of kept.entries()) if (now !== before[index]) rules[index] = rule;
  }
  return { judged, kept, rules, threshold };
}

function detectSection({ blocks, comments }: PageView, index: number): Section {
  const region = blocks[index]?.region;
  if (comments[index] === 1) return 'comments';
  if (region === undefined) return 'main';
  if (isReview(region)) return 'reviews';
  return isInMargin(region) ? 'margin' : 'main';
}

const WHOLE = new Set(['html', 'body', 'main', 'article', '#root']);

function isReview(region: Region): boolean {
  for (let up: Region | null = region; up !== null && !WHOLE.has(up.element.tag); up = up.parent) {
    if ((up.hints & HINTS.review) !== 0) return true;
  }
  return false;
}

/**
 * Explains scores of a forest: each step down a tree changes the mean of the leaves below, and the feature tested at the step is
 * credited with the change (Saabas' method). A leaf counts by its share of the splits above it.
 */
function createExplainer(forest: Forest, names: readonly string[]): (row: Float32Array) => Contribution[] {
  const means = computeNodeMeans(forest);
  const { feature, number, right, roots } = forest;
  return (row) => {
    const weights = new Float64Array(names.length);
    for (const root of roots) {
      let node = root;
      for (let column = feature[node] ?? -1; column >= 0; column = feature[node] ?? -1) {
        const next = (row[column] ?? 0) <= (number[node] ?? 0) ? node + 1 : (right[node] ?? 0);
        weights[column] = (weights[column] ?? 0) + (means[next] ?? 0) - (means[node] ?? 0);
        node = next;
      }
    }
    return names
      .map((name, column) => ({ feature: name, value: row[column] ?? 0, weight: weights[column] ?? 0 }))
      .filter(({ weight }) => weight !== 0)
      .sort((one, other) => Math.abs(other.weight) - Math.abs(one.weight));
  };
}

/** Computes for each node the mean of the leaves below; children follow their parents. */
function computeNodeMeans({ feature, number, right }: Forest): Float32Array {
  const means = new Float32Array(feature.length);
  for (let node = feature.length - 1; node >= 0; node -= 1) {
    means[node] =
      (feature[node] ?? -1) < 0
        ? (number[node] ?? 0)
        : ((means[node + 1] ?? 0) + (means[right[node] ?? 0] ?? 0)) / 2;
  }
  return means;
}
