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
/** How many elements before and after the title its date may be. */
const BEFORE_TITLE_MAX = 25;
const AFTER_TITLE_MAX = 60;
/** Letters that may accompany a date in its own text ("Published on", "5 min read", a name). */
const OTHER_LETTERS_MAX = 40;

/** The day in a `time` element that belongs to the page's own text. */
export function timeDate({ times }: PageFacts, order: Order): PublishedDate | null {
  const own = times.filter((time) => !isElsewhere(time));
  const published = own.find(
    ({ attributes }) =>
      attributes.pubdate !== undefined ||
      /published|datecreated|entry-date/i.test(`${attributes.class ?? ''} ${attributes.itemprop ?? ''}`),
  );
  const candidates = [published, ...own.filter((time) => !isModified(time))];
  for (const time of candidates) {
    if (time === undefined || saysModified(time)) continue;
    const day = readDay(time.attributes.datetime ?? '', order) ?? readDay(shortText(time), order);
    if (day !== null) return { day, from: 'time' };
  }
  return null;
}

/** The day in an element whose class or id marks it as the date of the text. */
export function hintedDate({ hinted }: PageFacts, order: Order): PublishedDate | null {
  for (const element of hinted) {
    const { class: classes = '', id = '', itemprop = '', content, title, datetime } = element.attributes;
    const names = `${classes} ${id}`;
    const isPublished = /(?:datePublished|dateCreated)/i.test(itemprop);
    if (!isPublished && !DATE_HINT.test(names)) continue;
    if (NOT_THIS.test(names) || isElsewhere(element) || MODIFIED.test(`${names} ${itemprop}`)) continue;
    for (const text of [content, datetime, title, shortText(element)]) {
      const day = text === undefined ? null : shownDay(text, order);
      if (day !== null) return { day, from: element.tag === 'time' ? 'time' : 'text' };
    }
  }
  return null;
}

/** A day written in a short text of its own near the title, those behind it first. */
export function nearTitleDate({ numbered, titlePlace }: PageFacts, order: Order): PublishedDate | null {
  if (titlePlace === null) return null;
  const near = numbered.filter(
    ({ place }) => place >= titlePlace - BEFORE_TITLE_MAX && place <= titlePlace + AFTER_TITLE_MAX,
  );
  const behind = near.filter(({ place }) => place > titlePlace);
  const before = near.filter(({ place }) => place < titlePlace).reverse();
  for (const { text, element } of [...behind, ...before]) {
    const words = collapse(text);
    if (MODIFIED.test(words) || NOT_PUBLISHED.test(words) || lettersBeside(words) > OTHER_LETTERS_MAX)
      continue;
    const day = readDay(words, order);
    if (day !== null && !isElsewhere(element) && !isProse(element)) return { day, from: 'text' };
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

function isElsewhere(element: TreeElement): boolean {
  for (let above: TreeElement | null = element; above !== null; above = above.parent) {
    if (above.tag === 'aside' || above.tag === 'footer' || above.tag === 'nav') return true;
    if (
      above.tag !== 'body' &&
      above.tag !== 'html' &&
      NOT_THIS.test(`${above.attributes.class ?? ''} ${above.attributes.id ?? ''}`)
    )
      return true;
  }
  return false;
}
