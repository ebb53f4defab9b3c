import type { PublishedDate } from '../../article.ts';
import { collapse } from '../markdown/inline/escape-text.ts';
import { textStart } from '../markdown/tags.ts';
import type { PageFacts } from '../metadata/page-facts.ts';
import type { TreeElement } from '../tree.ts';
import { type Order, readDay } from './read-day.ts';

const DATE_HINT =
  /(?:^|[\s_-])(?:pub-?date|published(?:-?(?:date|on|at))?|publish-?(?:date|time)|post(?:ed)?-?(?:date|on|time)|entry-?(?:date|time)|article-?(?:date|time|timestamp)|date-?(?:published|posted|created|line|time)?|dateline|timestamp|time-?stamp|created|fecha|datum|meta-?date|byline|entry-meta|post-?meta|article-?(?:meta|info)|publication-?date)(?=$|[\s_-])/i;
const NOT_THIS =
  /comment|sidebar|related|footer|copyright|widget|event|calendar|latest|popular|recommend|teaser|weather|expire/i;
const MODIFIED = /modif|updat|aktualis|actualiz|aggiorn|revis/i;
const TEXT_CHARS_MAX = 200;
const SOURCE_CHARS_MAX = 1_000;
/** Letters that may accompany a date in its own text ("Published on", "5 min read", a name). */
const OTHER_LETTERS_MAX = 40;

/** The day in a `time` element that belongs to the page's own text. */
export function timeDate(facts: PageFacts, order: Order): PublishedDate | null {
  const own = facts.times.filter((time) => !isElsewhere(time, facts));
  const published = own.find(
    ({ attributes }) =>
      attributes.pubdate !== undefined ||
      /published|datecreated|entry-date/i.test(`${attributes.class ?? ''} ${attributes.itemprop ?? ''}`),
  );
  const candidates = [published, ...own.filter((time) => !isModified(time))];
  for (const time of candidates) {
    if (time === undefined || saysModified(time)) continue;
    const { datetime, ts } = time.attributes;
    const day = readDay(datetime ?? ts ?? '', order) ?? readDay(shortText(time), order);
    if (day !== null) return { day, from: 'time' };
  }
  return null;
}

/** The day in an element beside the title whose class or id marks it as the date of the text. */
export function hintedNearTitle(facts: PageFacts, order: Order): PublishedDate | null {
  return firstHinted(
    ownHints(facts).filter((element) => isNearTitle(element, facts)),
    order,
  );
}

/** The same anywhere on the page. */
export function hintedDate(facts: PageFacts, order: Order): PublishedDate | null {
  return firstHinted(ownHints(facts), order);
}

const ownHints = (facts: PageFacts): TreeElement[] =>
  facts.hinted().filter((element) => !isElsewhere(element, facts));

const isNearTitle = (element: TreeElement, facts: PageFacts): boolean =>
  facts.besideTitle().elements.has(element);

function firstHinted(elements: TreeElement[], order: Order): PublishedDate | null {
  for (const element of elements) {
    const { class: classes = '', id = '', itemprop = '', content, title, datetime } = element.attributes;
    const names = `${classes} ${id}`;
    const isPublished = /(?:datePublished|dateCreated)/i.test(itemprop);
    if (!isPublished && !DATE_HINT.test(names)) continue;
    if (NOT_THIS.test(names) || MODIFIED.test(`${names} ${itemprop}`)) continue;
    for (const text of [content, datetime, title, shortText(element)]) {
      const day = text === undefined ? null : shownDay(text, order);
      if (day !== null) return { day, from: element.tag === 'time' ? 'time' : 'text' };
    }
  }
  return null;
}

/** A day written in a short text of its own near the title, those behind it first. */
export function nearTitleDate(facts: PageFacts, order: Order): PublishedDate | null {
  const { before, behind } = facts.besideTitle();
  for (const { text, element } of [...behind, ...before.toReversed()]) {
    const words = collapse(text);
    if (MODIFIED.test(words) || NOT_PUBLISHED.test(words) || lettersBeside(words) > OTHER_LETTERS_MAX)
      continue;
    const day = readDay(words, order);
    if (day !== null && !isElsewhere(element, facts) && !isProse(element)) return { day, from: 'text' };
  }
  return null;
}

/** The day in a short text anywhere that says itself that it is the day of publication. */
export function labelledDate(facts: PageFacts, order: Order): PublishedDate | null {
  for (const { text, element } of facts.numbered()) {
    const words = collapse(text);
    if (!PUBLISHED_FIRST.test(words) || MODIFIED.test(words) || lettersBeside(words) > OTHER_LETTERS_MAX)
      continue;
    const day = readDay(words, order);
    if (day !== null && !isElsewhere(element, facts)) return { day, from: 'text' };
  }
  return null;
}
const PUBLISHED_FIRST =
  /^\W*(?:(?:first\s|originally\s)?published|posted|post (?:time|date)|publish(?:ing)? (?:time|date)|publication date|date published|release(?:d| date))\b/i;

/** The day of the first post of a thread, as its forum writes it above the post. */
export function threadDate(facts: PageFacts, url: string, order: Order): PublishedDate | null {
  if (!THREAD.test(URL.parse(url)?.pathname ?? '')) return null;
  for (const { text, element } of facts.numberedBehindTitle()) {
    const words = collapse(text);
    if (isInFrame(element) || NOT_A_POST.test(words) || lettersBeside(words) > POST_LETTERS_MAX) continue;
    const day = readDay(words, order);
    if (day !== null && !/^d[dlt]$/.test(element.tag)) return { day, from: 'text' };
  }
  return null;
}
const THREAD = /(?:thread|topic|viewtopic|showthread|\/t\/|\/forum|discussion|comments\/)/i;
const NOT_A_POST = /joined|registered|member since|edit|updat|last (?:post|seen|activ)/i;
const POST_LETTERS_MAX = 12;

function isInFrame(element: TreeElement): boolean {
  for (let above: TreeElement | null = element; above !== null; above = above.parent)
    if (above.tag === 'nav' || FRAMES.has(above.tag) || above.tag === 'dl') return true;
  return false;
}

/** The day on which a page says, near its title, that it was last changed. */
export function shownChange(facts: PageFacts, order: Order): PublishedDate | null {
  const { before, own, behind } = facts.besideTitle();
  for (const { text, element } of [...before, ...own, ...behind]) {
    const words = collapse(text);
    if (
      !MODIFIED_FIRST.test(words) ||
      lettersBeside(words) > OTHER_LETTERS_MAX ||
      isElsewhere(element, facts)
    )
      continue;
    const day = readDay(words, order);
    if (day !== null) return { day, from: 'text' };
  }
  return null;
}

const NOT_PUBLISHED =
  /©|\(c\)|copyright|\bversion\b|\bsince\b|\bexpires?\b|\bjoined\b|\bborn\b|[-–]\s*\d{1,2}\.?\s*\p{L}+\s+\d{4}.{0,200}[-–]/iu;

const lettersBeside = (text: string): number => (text.match(/\p{L}/gu) ?? []).length - 9;

/** A date within running text belongs to the subject of the text. */
const isProse = ({ tag, children }: TreeElement): boolean =>
  /^(?:p|li|td|dd)$/.test(tag) && children.length > 3;

function shownDay(text: string, order: Order): string | null {
  return text.length > TEXT_CHARS_MAX || NOT_PUBLISHED.test(text) || MODIFIED_FIRST.test(text)
    ? null
    : readDay(text, order);
}
const MODIFIED_FIRST = /^\W*(?:last\s+|zuletzt\s+)?(?:modif|updat|aktualis|actualiz|aggiorn|revis|reviewed)/i;

function saysModified(time: TreeElement): boolean {
  return [time, time.parent].some(
    (element) => element !== null && MODIFIED_FIRST.test(shortText(element).slice(0, 40)),
  );
}

const shortText = (element: TreeElement): string => {
  const text = collapse(textStart(element, SOURCE_CHARS_MAX)).trim();
  return text.length > TEXT_CHARS_MAX ? '' : text;
};

const isModified = ({ attributes, parent }: TreeElement): boolean =>
  MODIFIED.test(`${attributes.class ?? ''} ${attributes.itemprop ?? ''} ${parent?.attributes.class ?? ''}`);

/** Whether an element is in a part of the page that is about other pages. No part that has the title is. */
function isElsewhere(element: TreeElement, facts: PageFacts): boolean {
  const names = isNearTitle(element, facts) || isOwnDate(element) ? LISTS : NOT_THIS;
  for (let above: TreeElement | null = element; above !== null; above = above.parent) {
    if (facts.titleFrames.has(above) || above.tag === 'body') return false;
    if (above.tag === 'nav' || (names === NOT_THIS && FRAMES.has(above.tag))) return true;
    if (names.test(`${above.attributes.class ?? ''} ${above.attributes.id ?? ''}`)) return true;
  }
  return false;
}

/** Whether its own markup says that it is the date of a text. */
const isOwnDate = ({ attributes }: TreeElement): boolean =>
  OWN_DATE.test(attributes.class ?? '') || attributes.itemprop === 'datePublished';
const OWN_DATE = /(?:post|story|article|entry|news|blog)[-_]{1,2}date|^date-header$/i;

const FRAMES: ReadonlySet<string> = new Set(['aside', 'footer']);
/** What lists other pages or comments, even beside the title. */
const LISTS = /comment|related|recommend|popular|latest|calendar|copyright/i;
