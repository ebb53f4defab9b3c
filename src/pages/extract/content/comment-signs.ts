import { readDay } from '../dates/read-day.ts';
import type { Block, CutPage, Region } from './regions.ts';

/**
 * Maximum words of a text in which signs are counted; running text may mention anything. Signs distinguish comments from a section
 * that is only called so, such as the chapter "Comments" of a language manual: comments repeat who wrote them, when, and how to answer.
 */
const SIGN_WORDS_MAX = 25;
const CONTROL_WORDS_MAX = 5;
/** Actions on a comment. */
const CONTROL =
  /^[^\p{L}]{0,6}(?:reply|antwort|répon|respond|responder|rispondi|reageer|quote\b|zitieren|report\b|flag\b|permalink|link to this|like\b|(?:up|down)vote|thumbs|share\b|edit\b|delete\b)/iu;
/** Attribution of a comment to its author. */
const AUTHOR =
  /(?:^|\s)(?:says|said|writes|wrote|schreibt|schrieb|sagte?|meint|dit|dijo|dice|ha scritto|schreef|commented)\s?[:,.…]?\s?$|^[^\p{L}]{0,6}(?:comment |posted |written |submitted |left |von |par |door )?(?:by|von|par|door|por)\s+\S/iu;
/** The time of a comment. */
const TIME =
  /\b\d{1,2}[:.]\d\d\s?(?:[ap]\.?m\b|uhr)|\b\d{1,2}:\d\d(?::\d\d)?\b|\b(?:\d+|an?|one|a few)\s?(?:s|m|h|d|w|mo|y|sec(?:ond)?s?|min(?:ute)?s?|hours?|hrs?|days?|weeks?|months?|years?) ago\b/i;
/** Texts around comments: their number, and the form for a new one. */
const AROUND =
  /(?<![\d.])\b\d+ (?:comments?|responses?|repl(?:y|ies)|reactions?|trackbacks?|kommentare?|commentaires?|comentarios?|reacties)\b(?! (?:in|of|and|with|for)\b)|\(\d+\)\s*$|e-?mail address|\byour (?:name|e-?mail|comment)|required fields|\b(?:log|sign)(?:ged)? ?in (?:to|or)|load(?:ing)? (?:more )?comments|trackback|pingback|moderat(?:ed|or|ion)|enable javascript/i;
/** Phrases that only occur with comments and so count twice. */
const CERTAIN =
  /\bthoughts? on\b|will not be published|\b(?:leave|post|add|write|submit|make) (?:a |your )(?:new )?(?:repl|comment|response)|be the first|\bno (?:\p{L}+ )?(?:comments|responses|replies)\b|comments? (?:are |is )?(?:now )?(?:closed|disabled|off)\b|join the (?:discussion|conversation)|(?:all|discussion about this|responded (?:to|in)) (?:comments|responses|replies|post|")|powered by disqus/iu;
/** A number and a word: "3 Comments" may be the third chapter. */
const NUMBERED = /^[\d.\s]+\p{L}+$/u;
/** Classes of the parts of a comment. */
const PART = /comment|avatar|gravatar|vcard|reply|replies|disqus|livefyre|user-?name|posted|timestamp/i;
const NAME_CHARS_MAX = 160;

/** Minimum signs of a section whose element is named for comments, and of one under a heading. */
const SIGNS_MIN = { named: 1, headed: 2 } as const;
/** Maximum words per sign, since comments say who and when this often. */
const WORDS_A_SIGN_MAX = 250;

/** Returns whether the blocks [from, to) of a page, which are in `section`, look like comments. */
export function isCommentRange(
  { blocks }: CutPage,
  texts: string[],
  { from, to, section, by }: { from: number; to: number; section: Region; by: keyof typeof SIGNS_MIN },
): boolean {
  // The section around a heading may have any name, so its class does not count.
  const top = by === 'named' ? section.parent : section;
  let signs = 0;
  let words = 0;
  for (let at = from; at < to; at += 1) {
    const block = blocks[at];
    if (block === undefined) break;
    words += block.tally.words;
    signs += countSigns(block, texts[at] ?? '') + (isPartOfComment(block.region, top) ? 1 : 0);
  }
  return signs >= SIGNS_MIN[by] && words <= signs * WORDS_A_SIGN_MAX;
}

function countSigns({ tally: { words } }: Block, text: string): number {
  if (words === 0 || words > SIGN_WORDS_MAX) return 0;
  let signs = 0;
  if (words <= CONTROL_WORDS_MAX && CONTROL.test(text)) signs += 1;
  if (AUTHOR.test(text)) signs += 1;
  if (TIME.test(text) || readDay(text) !== null) signs += 1;
  if (CERTAIN.test(text)) signs += 2;
  else if (AROUND.test(text) && !NUMBERED.test(text)) signs += 1;
  return signs;
}

/** Returns whether an element below `top` has the class of a part of a comment. Ids do not count: manuals derive them from headings. */
function isPartOfComment(region: Region, top: Region | null): boolean {
  for (let up: Region | null = region; up !== null && up !== top; up = up.parent) {
    const { class: classes } = up.element.attributes;
    if (classes !== undefined && PART.test(classes.slice(0, NAME_CHARS_MAX))) return true;
  }
  return false;
}
