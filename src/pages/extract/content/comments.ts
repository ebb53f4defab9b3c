import { readDay } from '../dates/read-day.ts';
import type { TreeElement, TreeText } from '../table-shape.ts';
import { CLUE_NAMES, type Clues } from './clues.ts';
import type { PageTitle } from './page-title.ts';
import { createPatternSet } from './patterns/pattern-set.ts';
import type { Block, CutPage, Region } from './regions.ts';

/** Phrases that identify a short text, in the most frequent languages of web pages. */
const PHRASES: [name: string, pattern: RegExp][] = [
  [
    'share',
    /^(?:share|tweet|teilen|partager|compartir|condividi|follow)\b|share (?:this|on|via)|facebook|twitter|linkedin|whatsapp|pinterest|copy link/,
  ],
  [
    'subscribe',
    /subscri|newsletter|sign up|inbox|abonn|suscr|iscriviti|mailing list|e-?mail address|your email/,
  ],
  ['login', /\b(?:log ?in|sign ?in|register|log ?out|my account|anmelden|connexion|iniciar sesi|forgot)\b/],
  [
    'more',
    /^(?:read|learn|see|view|show|load|find out|discover|explore|weiterlesen|lire|leer|mehr)\b.{0,20}(?:more|all|less|suite|m[aá]s|mehr|article|details|post)?\s*[.…›»→>]*$|continue reading|read more|learn more/,
  ],
  [
    'related',
    /related|you (?:may|might) also|recommended|more (?:from|in|on|like)|similar|popular|trending|most read|latest|recent|people also|customers (?:also|who)|up next|don'?t miss|ähnliche|lire aussi|relacionad/,
  ],
  ['comments', /comments?\b|replies|reply|leave a|kommentar|commentaire|comentario/],
  [
    'previousNext',
    /^(?:«|‹|←|<)?\s*(?:prev(?:ious)?|next|older|newer|back|weiter|suivant|anterior|siguiente)\b|^\d{1,3}$|page \d+/,
  ],
  [
    'edit',
    /^\[?(?:edit|bearbeiten|modifier|editar|copy|report|flag|like|quote|print|improve|was this)\b|helpful|\bpermalink|^[#¶§]$/,
  ],
];
/** Maximum words of a text that is tested; longer ones contain such words by chance. */
const WORDS_MAX = 40;
/** Finds the bit of a phrase in the result of `matchPhrases`. */
export const findPhraseBit = (wanted: string): number => 1 << PHRASES.findIndex(([name]) => name === wanted);
const matchPhrasePatterns = createPatternSet(PHRASES.map(([, pattern], index) => [1 << index, pattern]));

/** Names that themes and comment services give to elements with comments. */
const SECTION_NAME =
  /comment(?!ary)|disqus|dsq-|livefyre|talk-?back|(?:^|[\s_-])(?:respond|responses|reader-?(?:views|reactions)|reacties|kommentare?|commentaires|comentarios|replies)(?:[\s_-]|$)/;
/** Names of elements that only count comments, link to them, list the newest of a site, or say that comments are possible. */
const OTHER_NAME =
  /(?:^|[\s_-])(?:no|has|with|feature|enable|disable|allow|open|recent|latest|tag|category|s)[\s_-]?\w{0,20}comment|newcomments|recent-?comments|comments?[\s_-]?(?:open|closed|enabled|disabled|count|num|link|icon|off|on|allowed|support)|commented/;
const HEADING_TEXT =
  /^[^\p{L}]{0,12}(?:(?:no|all|view|readers?['’]?s?|user|your|join the|add|latest|top|recent) ){0,2}(?:(?:comments|responses|replies|reactions|talkbacks?|kommentare|commentaires|comentarios|commenti|reacties|thoughts on)(?: |[^\p{L}]|$)|(?:comment|response|reply|reaction|kommentar|commentaire|comentario|commento|reactie|views)(?: to .{0,80}| on .{0,80}|[^\p{L}]{0,12})$|discussion about this|(?=.*\d|join)(?:join the )?(?:discussion|conversation)|leave a (?:reply|comment|response)|post a comment)/iu;
/** Texts that label comments without being a heading or a link. */
const LABEL_TEXT =
  /^[^\p{L}]{0,12}(?:readers?['’]?s? )?(?:comments|responses|replies|views|kommentare|commentaires|comentarios|reacties)[^\p{L}]{0,12}$/iu;
const HEADING_WORDS_MAX = 12;
/** Minimum words of an article before its comments. */
const ARTICLE_WORDS_MIN = 40;
const WHOLE = new Set(['html', 'body', 'main', '#root']);
const HEADING = /^h[1-6]$/;
const NAME_CHARS_MAX = 160;

/** Marks with 1 each block that belongs to the comments below an article or post. */
export function markComments(cut: CutPage, texts: string[], title: number): Uint8Array {
  const { regions, blocks } = cut;
  const marks = new Uint8Array(blocks.length);
  for (const region of regions) {
    if (region.from === region.to || (marks[region.from] === 1 && marks[region.to - 1] === 1)) continue;
    if (!isCommentSection(region) || (region.from <= title && title < region.to)) continue;
    const { from, to } = region;
    if (isCommentRange(cut, texts, { from, to, section: region, by: 'named' })) marks.fill(1, from, to);
  }
  let words = 0;
  for (const [index, block] of blocks.entries()) {
    if (title !== -1 && index > title) words += block.tally.words - block.tally.linkWords;
    if (marks[index] === 1 || words < ARTICLE_WORDS_MIN) continue;
    if (!isCommentHeading(block, texts[index] ?? '')) continue;
    const section = findCommentSection(block.region, title);
    const { to } = section;
    if (isCommentRange(cut, texts, { from: index, to, section, by: 'headed' })) marks.fill(1, index, to);
  }
  return marks;
}

function isCommentSection({ element: { tag, attributes } }: Region): boolean {
  const { id = '', class: classes = '' } = attributes;
  if ((id === '' && classes === '') || WHOLE.has(tag)) return false;
  const name = `${id.slice(0, NAME_CHARS_MAX)} ${classes.slice(0, NAME_CHARS_MAX)}`.toLowerCase();
  return SECTION_NAME.test(name) && !OTHER_NAME.test(name);
}

function isCommentHeading({ region, tally }: Block, text: string): boolean {
  if (tally.words > HEADING_WORDS_MAX || tally.words === 0) return false;
  if (HEADING.test(region.element.tag)) return HEADING_TEXT.test(text);
  return tally.linkWords === 0 && LABEL_TEXT.test(text);
}

/** Finds the element around a heading of comments; the comments extend to its end. */
function findCommentSection(heading: Region, title: number): Region {
  let up = heading;
  // A heading may have a box of its own.
  while (up.parent !== null && up.parent.from === heading.from && up.parent.from > title) up = up.parent;
  return up.to > heading.to ? up : (up.parent ?? up);
}

const THREAD_CLUES = [
  'schemaForum',
  'madeForForum',
  'urlForum',
  'schemaProduct',
  'ogProduct',
  'madeForShop',
].map((name) => CLUE_NAMES.indexOf(name));
/** Minimum words of running text outside the comments; a page with less is a thread. */
const OUTSIDE_WORDS_MIN = 50;
const RUNNING_WORDS_MIN = 15;

/** Returns whether comments are separate from the content: those of an article are; those of threads and shops are judged like the rest. */
export function hasSeparateComments({ blocks, comments, clues }: PageView): boolean {
  if (!comments.includes(1) || THREAD_CLUES.some((at) => clues.numbers[at] === 1)) return false;
  let outside = 0;
  for (const [index, { tally }] of blocks.entries()) {
    if (comments[index] === 0 && tally.words >= RUNNING_WORDS_MIN) outside += tally.words - tally.linkWords;
  }
  return outside >= OUTSIDE_WORDS_MIN;
}

/** Returns the probabilities with 0 for comments that are separate from the content. */
export function suppressComments(view: PageView, probabilities: Float32Array): Float32Array {
  if (!hasSeparateComments(view)) return probabilities;
  return probabilities.map((probability, index) => (view.comments[index] === 1 ? 0 : probability));
}

/** Phrases of controls among comments, such as "Reply" and "Log in to comment". */
const CONTROL_PHRASES = ['edit', 'login', 'subscribe', 'share', 'more', 'previousNext', 'comments']
  .map(findPhraseBit)
  .reduce((bits, bit) => bits | bit, 0);
const CONTROL_WORDS_MAX = 8;
const CONTROLS = new Set(['form', 'button', 'label', 'fieldset']);

/** Collects the texts of the comments, without forms and controls. */
export function collectCommentTexts({ blocks, texts, comments }: PageView): TreeText[] {
  return blocks.flatMap((block, index) => {
    if (comments[index] === 0 || isInForm(block.region)) return [];
    const { words } = block.tally;
    const isControl =
      words <= CONTROL_WORDS_MAX &&
      !HEADING.test(block.region.element.tag) &&
      (matchPhrases(texts[index] ?? '', words) & CONTROL_PHRASES) !== 0;
    return isControl ? [] : block.texts;
  });
}

function isInForm(region: Region): boolean {
  for (let up: Region | null = region; up !== null; up = up.parent) {
    if (CONTROLS.has(up.element.tag)) return true;
    if (WHOLE.has(up.element.tag)) break;
  }
  return false;
}

/** Input of the feature groups: the page cut into blocks, with everything that is computed once per page. */
export type PageView = {
  cut: CutPage;
  /** Elements whose text is never kept, though their own attributes do not hide it; see `concealed.ts`. */
  concealed: Set<TreeElement>;
  blocks: Block[];
  /** Shown text of each block, white space collapsed, at most `TEXT_CHARS_MAX` characters. */
  texts: string[];
  clues: Clues;
  title: PageTitle;
  /** 1 for each block that belongs to the comments below an article; see `comments.ts`. */
  comments: Uint8Array;
  /** Numbers that name the pattern of elements around each region; see `features/repetition.ts`. */
  signatures: Int32Array;
  /** What the operator's rule for the site says of each block: 1 to keep, -1 to drop, 0 nothing; null without a rule. */
  ruled: Int8Array | null;
  /** The region that looks most like the main one. */
  container: Region;
  /** Distances from each region up to the nearest place of each kind; see `features/position.ts`. */
  distances: Uint8Array;
};

/** A group of features; for each block its numbers are written into a row of the feature table from `at` on. */
export type FeatureGroup = {
  names: readonly string[];
  /** Prepares what needs a pass over the page; the returned function fills a row. */
  prepare(view: PageView): (row: Float32Array, at: number, index: number) => void;
};

/** Returns one bit for each phrase found in a text of `words` words. */
export function matchPhrases(text: string, words: number): number {
  return words > WORDS_MAX ? 0 : matchPhrasePatterns(text.toLowerCase());
}

/**
 * Maximum words of a text in which signs are counted; running text may mention anything. Signs distinguish comments from a section
 * that is only called so, such as the chapter "Comments" of a language manual: comments repeat who wrote them, when, and how to answer.
 */
const SIGN_WORDS_MAX = 25;
const REPLY_WORDS_MAX = 5;
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
const CLASSES_CHARS_MAX = 160;

/** Minimum signs of a section whose element is named for comments, and of one under a heading. */
const SIGNS_MIN = { named: 1, headed: 2 } as const;
/** Maximum words per sign, since comments say who and when this often. */
const WORDS_A_SIGN_MAX = 250;

/** Returns whether the blocks [from, to) of a page, which are in `section`, look like comments. */
function isCommentRange(
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
  if (words <= REPLY_WORDS_MAX && CONTROL.test(text)) signs += 1;
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
    if (classes !== undefined && PART.test(classes.slice(0, CLASSES_CHARS_MAX))) return true;
  }
  return false;
}
