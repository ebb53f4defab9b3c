/**
 * Tells changes that say nothing new from the others: dates of the page itself, counters, adverts, related links, the order of a list,
 * and addresses that differ only in their parameters. Each rule asks for a sign in the block or above it, because a date or a number may
 * just as well be what a page is about.
 */
import { extractDates } from '../facts/dates.ts';
import { LINK, toVisibleText } from '../markup/visible-text.ts';
import type { ComparableBlock } from './comparable-blocks.ts';

/**
 * Why a change is noise. `recurring`: the same place has changed at every earlier visit. `address`: only the parameters of links and
 * pictures differ. `markup`: the same words with other marks, as where one visit read HTML and another the page's own Markdown.
 */
export type NoiseReason =
  | 'date'
  | 'counter'
  | 'advert'
  | 'order'
  | 'related'
  | 'address'
  | 'markup'
  | 'recurring';

/** The blocks of a change with their Markdown; null where it has none. */
type ChangedBlocks = {
  before: (ComparableBlock & { text: string }) | null;
  after: (ComparableBlock & { text: string }) | null;
  isMove: boolean;
};

/** Words beside a date by which a page speaks of itself. */
const STAMP_WORDS = new Set(
  [
    'last updated update modified edited changed reviewed checked published posted generated built created rendered retrieved revised',
    'accessed refreshed synced crawled fetched printed revision date time on at as of by the this page was is it now today current',
    'copyright all rights reserved am pm utc gmt cet cest est edt pst pdt bst z',
    'zuletzt aktualisiert geändert bearbeitet stand vom am um uhr veröffentlicht erstellt letzte änderung diese seite wurde',
    'mis à jour le dernière modification publié actualizado última modificación publicado el',
    'monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun',
    'montag dienstag mittwoch donnerstag freitag samstag sonntag',
    'january february march april may june july august september october november december',
    'jan feb mar apr jun jul aug sep sept oct nov dec',
  ]
    .join(' ')
    .split(' '),
);
/** A stamp has at least one of these, or nothing but the date. */
const STAMP_SIGN =
  /\b(?:updated?|modified|edited|changed|reviewed|checked|published|posted|generated|built|created|rendered|retrieved|revised|accessed|refreshed|synced|crawled|fetched|printed|as of|copyright|today|now|aktualisiert|geändert|bearbeitet|stand|veröffentlicht|erstellt|mis à jour|modification|publié|actualizado|modificación|publicado)\b|©/iu;
const TIME = /\b\d{1,2}:\d{2}(?::\d{2})?(?:\.\d{1,9})?(?: ?[ap]\.?m\b\.?)?/giu;
const STAMP = /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?/gu;
const DAY =
  /\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{4}[./]\d{1,2}[./]\d{1,2}\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? \d{1,2}[.,]? (?:19|20)\d{2}\b/giu;
const COPYRIGHT_YEARS =
  /(©|\(c\)|\bcopyright\b)[^\n]{0,20}?\b(?:19|20)\d{2}(?: ?[-–] ?(?:(?:19|20)\d{2}|present))?/giu;
const AGE_UNIT =
  '(?:s|m|h|d|w|y|sec|min|secs|mins|hrs?|seconds?|minutes?|hours?|days?|weeks?|months?|years?)';
const AGE = new RegExp(
  [
    `\\b(?:\\d{1,4} ?${AGE_UNIT},? (?:and )?)?(?:\\d{1,4}|an?|one) ?${AGE_UNIT} ago\\b`,
    '\\bvor (?:\\d{1,4}|einem|einer) (?:sekunden?|minuten?|stunden?|tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)\\b',
    '\\bil y a \\d{1,4} \\p{L}{1,10}\\b',
    '\\bhace \\d{1,4} \\p{L}{1,10}\\b',
    '\\b(?:just now|yesterday|gestern|hier|ayer)\\b',
  ].join('|'),
  'giu',
);
const STAMP_WORDS_MAX = 14;
const STAMPED_CHARS_MAX = 300;
const STAMP_BEFORE =
  /\b(?:updated|modified|edited|reviewed|checked|published|posted|generated|built|rendered|retrieved|revised|accessed|refreshed|aktualisiert|geändert|mis à jour|actualizado)[^.!?\n]{0,30}$/iu;

/** Names of what is counted on a page, beside its number. */
const COUNTED =
  'views?|reads?|visits?|visitors?|hits?|clicks?|plays?|likes?|dislikes?|hearts?|claps?|kudos|reactions?|upvotes?|downvotes?|karma|shares?|reposts?|retweets?|repl(?:y|ies)|comments?|followers?|following|subscribers?|members?|users?|guests?|watchers?|watching|stars?|stargazers?|forks?|downloads?|installs?|reviews?|ratings?|bookmarks?|saves?|viewed|readers?|online|contributors?|commits?|aufrufe|kommentare?|besucher|mal gelesen|vues|commentaires?|visitas|comentarios?';
const NUMBER = '\\d[\\d.,\u202f\u00a0 ]{0,14}[kmb]?\\+?';
const COUNT = new RegExp(
  `(?<![\\p{L}\\p{N}$€£])${NUMBER}(?= ?(?:${COUNTED})(?![\\p{L}\\p{N}]))|(?<=(?<![\\p{L}\\p{N}])(?:${COUNTED})[ :(]{1,3})${NUMBER}(?![\\p{L}\\p{N}%])`,
  'giu',
);
const COUNTED_WORD = new RegExp(`(?<![\\p{L}\\p{N}])(?:${COUNTED})(?![\\p{L}\\p{N}])`, 'giu');
/** Beside more words a number may be the news. */
const WORDS_BESIDE_COUNTS_MAX = 3;

const ADVERT =
  /^(?:advert(?:isement|ising)?s?|ads?|sponsored?(?: (?:by|content|links?|post)\b.{0,80})?|promoted|promotion|paid (?:content|post|partnership)|partner content|anzeige|werbung|publicité|publicidad)\W{0,3}$/iu;
const ADVERT_START =
  /^\W{0,4}(?:advertisement|sponsored|promoted|ad|anzeige|werbung|publicité|publicidad)\W{0,2}[:·|–—-]/iu;
const ADVERT_ADDRESS =
  /\/\/[^\s/)]{0,100}(?:doubleclick|googlesyndication|adservice|adserver|taboola|outbrain|carbonads|buysellads|ethicalads)[^\s/)]{0,100}|[?&](?:utm_medium=(?:ad|cpc|display|paid)|gclid|adid|campaignid)\b/i;
const RELATED =
  /^(?:related(?: (?:articles?|posts?|stories|links?|content|pages?|topics?|products?|reading|questions?|packages?|projects?|videos?|news))?|(?:you (?:may|might) (?:also )?(?:like|enjoy|be interested in).{0,20})|recommended(?: .{0,30})?|more (?:from|in|on|like this|stories|articles|posts|news).{0,60}|read (?:next|more|also)|up next|what to read next|trending(?: .{0,20})?|popular(?: .{0,20})?|most (?:read|viewed|popular|shared).{0,20}|editors?'? picks?|latest (?:articles?|posts?|stories|news|headlines)|recent (?:articles?|posts?|comments?|stories)|recently viewed|customers (?:who|also) .{0,60}|keep reading|further stories|hot network questions|mehr zum thema|das könnte sie auch interessieren|ähnliche (?:artikel|beiträge)|meistgelesen|à lire aussi|articles similaires|artículos relacionados|te puede interesar)\W{0,3}$/iu;
/** Above a list of links that are not the page's own subject, in bold instead of as a heading. */
const LABEL = /^\W{0,4}(.{1,80}?)\W{0,4}$/u;

/** Returns why a change is noise by the rules; null where it is not. */
export function judgeNoise(change: ChangedBlocks): NoiseReason | null {
  const blocks = [change.before, change.after].filter((block) => block !== null);
  if (blocks.every(isAdvert)) return 'advert';
  if (blocks.every(isRelated)) return 'related';
  const { before, after, isMove } = change;
  if (isMove)
    return after !== null && (after.kind === 'item' || after.kind === 'row') && !after.isNumbered
      ? 'order'
      : null;
  if (before === null || after === null) return blocks.every(isStamp) ? 'date' : null;
  if (differInMarkupOnly(before, after)) return 'markup';
  if (before.kind === 'code' || after.kind === 'code') return null;
  if (dropParameters(before.text) === dropParameters(after.text)) return 'address';
  const [shown, shownAfter] = [toVisibleText(before.text), toVisibleText(after.text)];
  if (shown === shownAfter) return null;
  if (isSameApartFromStamp(shown, shownAfter)) return 'date';
  const counted = dropCounts(shown);
  const wordsMax = before.kind === 'heading' ? 0 : WORDS_BESIDE_COUNTS_MAX;
  if (counted === shown || countWordsBeside(counted) > wordsMax) return null;
  return isSameApartFromStamp(counted, dropCounts(shownAfter)) ? 'counter' : null;
}

/** Addresses of links and pictures, and the marks of a line through a text. */
const TELLING = /\]\([^\s)]{1,2000}|~~(?!~)/g;
const LEADING_MARK = /^[ \t]{0,3}(?:#{1,6}|[-*+]|\d{1,9}[.)])[ \t]+/;
const UNDERLINE = /\n[=-]+[ \t]*$/;
const FENCE = /^[ \t]*(?:```|~~~)[^\n]*$/gm;

/** A line through a text, and where a link leads, say something; all other marks do not. */
function differInMarkupOnly(before: ComparableBlock & { text: string }, after: typeof before): boolean {
  const isCode = before.kind === 'code';
  if (isCode !== (after.kind === 'code')) return false;
  const [text, textAfter] = [before, after].map((block) =>
    isCode ? block.text.replaceAll(FENCE, '').trim() : dropMarks(block.text),
  );
  return text === textAfter && listTelling(before.text) === listTelling(after.text);
}

const dropMarks = (text: string): string =>
  toVisibleText(text.trim().replace(LEADING_MARK, '').replace(UNDERLINE, ''))
    .replaceAll('`', '')
    .replaceAll(/\s+/g, ' ')
    .trim();

const listTelling = (text: string): string => (text.match(TELLING) ?? []).join(' ');

function isAdvert({ text, headings }: ComparableBlock & { text: string }): boolean {
  const above = headings.at(-1) ?? '';
  const shown = toVisibleText(text).trim();
  return ADVERT.test(above) || ADVERT.test(shown) || ADVERT_START.test(shown) || ADVERT_ADDRESS.test(text);
}

/** True below a heading of related pages, and for that heading itself. */
function isRelated({ text, headings, kind }: ComparableBlock & { text: string }): boolean {
  const own = kind === 'heading' ? readLabel(text.replace(/^#{1,6} /, '')) : '';
  return RELATED.test(own) || headings.some((heading) => RELATED.test(heading.trim()));
}

const readLabel = (text: string): string => LABEL.exec(toVisibleText(text).trim())?.[1] ?? '';

/** True for a block that says nothing but when the page was made. */
function isStamp({ text, kind, words }: ComparableBlock & { text: string }): boolean {
  if (kind === 'code' || kind === 'heading' || words.length > STAMP_WORDS_MAX) return false;
  const shown = toVisibleText(text);
  const rest = dropDates(dropAges(shown));
  return rest !== shown && isStampRest(rest, shown);
}

function countWordsBeside(counted: string): number {
  return counted.replaceAll(COUNTED_WORD, '').match(/[\p{L}\p{M}]+/gu)?.length ?? 0;
}

/** Compares two texts without their ages ("3 hours ago") and, where the page speaks of itself, without their dates. */
function isSameApartFromStamp(before: string, after: string): boolean {
  const [aged, agedAfter] = [dropAges(before), dropAges(after)];
  if (aged === agedAfter) return true;
  const [years, yearsAfter] = [
    aged.replaceAll(COPYRIGHT_YEARS, '$1'),
    agedAfter.replaceAll(COPYRIGHT_YEARS, '$1'),
  ];
  if (years === yearsAfter) return true;
  const [rest, restAfter] = [dropDates(aged), dropDates(agedAfter)];
  return rest === restAfter && (isStampRest(rest, before) || isStampedBefore(aged, agedAfter));
}

/** Whether the first difference of two short texts is a date that follows a word such as "updated". */
function isStampedBefore(before: string, after: string): boolean {
  if (before.length > STAMPED_CHARS_MAX) return false;
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  return STAMP_BEFORE.test(before.slice(0, same));
}

/** Whether what is left beside a date are words of a stamp, as in "Last updated on". */
function isStampRest(rest: string, whole: string): boolean {
  const words = rest.toLowerCase().match(/[\p{L}\p{M}]+|\d+/gu) ?? [];
  const isAll = words.every((word) => STAMP_WORDS.has(word));
  return isAll && words.length <= STAMP_WORDS_MAX
    ? words.length === 0 || STAMP_SIGN.test(whole) || words.length <= 2
    : false;
}

const dropAges = (text: string): string => text.replaceAll(AGE, '');
const dropCounts = (text: string): string => text.replaceAll(COUNT, '#');

function dropDates(text: string): string {
  const shown = text.replaceAll(STAMP, '');
  let rest = '';
  let at = 0;
  for (const { start, end } of extractDates(shown)) {
    rest += shown.slice(at, start);
    at = end;
  }
  return (rest + shown.slice(at)).replaceAll(TIME, '').replaceAll(DAY, '');
}

/** Drops the parameters and fragments of link and picture addresses. */
function dropParameters(text: string): string {
  return text.replaceAll(LINK, (link) => link.replaceAll(/[?#][^\s)]{0,2000}/g, ''));
}
