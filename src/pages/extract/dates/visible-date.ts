import type { PublishedDate } from '../../article.ts';
import { collapse } from '../markdown/inline/escape-text.ts';
import { readTextStart } from '../markdown/tags.ts';
import type { PageFacts } from '../metadata/page-facts.ts';
import type { TreeElement } from '../table-shape.ts';
import { type DateOrder, readDay } from './read-day.ts';

const DATE_HINT =
  /(?:^|[\s_-])(?:pub-?date|published(?:-?(?:date|on|at))?|publish-?(?:date|time)|post(?:ed)?-?(?:date|on|time)|entry-?(?:date|time)|article-?(?:date|time|timestamp)|date-?(?:published|posted|created|line|time)?|dateline|time|timestamp|time-?stamp|created|erstellt|veroeffentlicht|fecha|datum|data|tarih|meta-?date|byline|entry-meta|post-?meta|article-?(?:meta|info)|publication-?date)(?=$|[\s_-])/i;
const NOT_THIS =
  /comment|sidebar|related|footer|copyright|widget|event|calendar|latest|popular|recommend|teaser|weather|expire/i;
/** Says that a day is one of change, in ten languages. */
const MODIFIED =
  /modif|updat|aktuali[sz]|geändert|bearbeitet|actuali[sz]|mis(?:e)? à jour|atualiza|aggiorna|bijgewerkt|gewijzigd|zaktualiz|uppdater|opdater|oppdater|güncelle|обновл|измен|更新|修改|수정|revis/i;
const TEXT_CHARS_MAX = 200;
const SOURCE_CHARS_MAX = 1_000;
/** Maximum letters beside a date in its own text ("Published on", "5 min read", a name). */
const OTHER_LETTERS_MAX = 40;

/** Finds the day in a `time` element that belongs to the page's own text. */
export function findTimeElementDate(facts: PageFacts, order: DateOrder): PublishedDate | null {
  const own = facts.times.filter((time) => !isElsewhere(time, facts));
  const published = own.find(
    ({ attributes }) =>
      attributes.pubdate !== undefined ||
      /published|datecreated|entry-date/i.test(`${attributes.class ?? ''} ${attributes.itemprop ?? ''}`),
  );
  const candidates = [published, ...own.filter((time) => !isModified(time))];
  for (const time of candidates) {
    if (time === undefined || isLabelledModified(time)) continue;
    const { datetime, ts } = time.attributes;
    const day = readDay(datetime ?? ts ?? '', order) ?? readDay(readShortText(time), order);
    if (day !== null) return { day, from: 'time' };
  }
  return null;
}

/** Finds the day in an element near the title whose class or id marks it as the date of the text. */
export function findHintedDateNearTitle(facts: PageFacts, order: DateOrder): PublishedDate | null {
  return findFirstHintedDate(
    listOwnHints(facts).filter((element) => isNearTitle(element, facts)),
    order,
  );
}

/** Finds the day in such an element anywhere on the page. */
export function findHintedDate(facts: PageFacts, order: DateOrder): PublishedDate | null {
  return findFirstHintedDate(listOwnHints(facts), order);
}

const listOwnHints = (facts: PageFacts): TreeElement[] =>
  facts.hinted().filter((element) => !isElsewhere(element, facts));

const isNearTitle = (element: TreeElement, facts: PageFacts): boolean =>
  facts.besideTitle().elements.has(element);

function findFirstHintedDate(elements: TreeElement[], order: DateOrder): PublishedDate | null {
  for (const element of elements) {
    const { class: classes = '', id = '', itemprop = '', content, title, datetime } = element.attributes;
    const names = `${classes} ${id}`;
    const isPublished = /(?:datePublished|dateCreated)/i.test(itemprop);
    if (!isPublished && !DATE_HINT.test(names)) continue;
    if (NOT_THIS.test(names) || MODIFIED.test(`${names} ${itemprop}`)) continue;
    for (const text of [content, datetime, title, readShortText(element)]) {
      const day = text === undefined ? null : parseShownDay(text, order);
      if (day !== null) return { day, from: element.tag === 'time' ? 'time' : 'text' };
    }
  }
  return null;
}

/** Finds a day in a short text of its own near the title, texts after the title first. */
export function findDateNearTitle(facts: PageFacts, order: DateOrder): PublishedDate | null {
  const { before, behind } = facts.besideTitle();
  for (const { text, element } of [...behind, ...before.toReversed()]) {
    const words = collapse(text);
    if (MODIFIED.test(words) || NOT_PUBLISHED.test(words) || countOtherLetters(words) > OTHER_LETTERS_MAX)
      continue;
    const day = readDay(words, order);
    if (day !== null && !isElsewhere(element, facts) && !isProse(element)) return { day, from: 'text' };
  }
  return null;
}

/** Finds the day in a short text anywhere that labels itself as the day of publication. */
export function findLabelledDate(facts: PageFacts, order: DateOrder): PublishedDate | null {
  for (const { text, element } of facts.numbered()) {
    const words = collapse(text);
    if (!PUBLISHED_FIRST.test(words) || MODIFIED.test(words) || countOtherLetters(words) > OTHER_LETTERS_MAX)
      continue;
    const day = readDay(words, order);
    if (day !== null && !isElsewhere(element, facts)) return { day, from: 'text' };
  }
  return null;
}
/** A label of the day of publication: English, then the Latin, Slavic and other languages, where no letter may follow, then Asian ones. */
const PUBLISHED_FIRST = new RegExp(
  `^[^\\p{L}\\p{N}]*(?:(?:${[
    '(?:(?:first|originally) )?published|posted|post (?:time|date)|publish(?:ing)? (?:time|date)|publication date',
    'date (?:published|posted|of publication)|release(?:d| date)',
    'veröffentlicht|veröffentlichungsdatum|erschienen|erstellt|publiziert',
    'publiée?|date de publication|mise? en ligne|parue?',
    'publicad[oa]|fecha de publicación|data de publicação|pubblicat[oa]|data di pubblicazione',
    'gepubliceerd|geplaatst|publicatiedatum|publicera[dt]|publiceret|publisert',
    'opublikowano|data publikacji|dodano|publikováno|опубликовано|дата публикации',
    'yayınlanma|yayın tarihi|تاريخ النشر|نشر في',
  ].join('|')})(?![\\p{L}\\p{N}])|公開日|掲載日|投稿日|作成日|发布|發布|发表|發表|작성일|등록일|게시일|입력)`,
  'iu',
);

/** Finds the day of the first post of a thread, as its forum writes it above the post. */
export function findThreadDate(facts: PageFacts, url: string, order: DateOrder): PublishedDate | null {
  if (!THREAD.test(URL.parse(url)?.pathname ?? '')) return null;
  for (const { text, element } of facts.numberedBehindTitle()) {
    const words = collapse(text);
    if (isInFrame(element) || NOT_A_POST.test(words) || countOtherLetters(words) > POST_LETTERS_MAX) continue;
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

/** Finds the day of the last change that a page shows near its title. */
export function findShownModifiedDate(facts: PageFacts, order: DateOrder): PublishedDate | null {
  const { before, own, behind } = facts.besideTitle();
  for (const { text, element } of [...before, ...own, ...behind]) {
    const words = collapse(text);
    if (
      !MODIFIED_FIRST.test(words) ||
      countOtherLetters(words) > OTHER_LETTERS_MAX ||
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

const countOtherLetters = (text: string): number => (text.match(/\p{L}/gu) ?? []).length - 9;

/** Returns whether an element is running text; a date in it belongs to the subject of the text. */
const isProse = ({ tag, children }: TreeElement): boolean =>
  /^(?:p|li|td|dd)$/.test(tag) && children.length > 3;

function parseShownDay(text: string, order: DateOrder): string | null {
  return text.length > TEXT_CHARS_MAX || NOT_PUBLISHED.test(text) || MODIFIED_FIRST.test(text)
    ? null
    : readDay(text, order);
}
const MODIFIED_FIRST = new RegExp(
  `^[^\\p{L}\\p{N}]*(?:last\\s+|zuletzt\\s+|dernière\\s+|última\\s+|ultim[oa]\\s+|laatst\\s+|ostatnia\\s+|последнее\\s+|最終)?(?:${MODIFIED.source}|reviewed)`,
  'iu',
);

function isLabelledModified(time: TreeElement): boolean {
  return [time, time.parent].some(
    (element) => element !== null && MODIFIED_FIRST.test(readShortText(element).slice(0, 40)),
  );
}

const readShortText = (element: TreeElement): string => {
  const text = collapse(readTextStart(element, SOURCE_CHARS_MAX)).trim();
  return text.length > TEXT_CHARS_MAX ? '' : text;
};

const isModified = ({ attributes, parent }: TreeElement): boolean =>
  MODIFIED.test(`${attributes.class ?? ''} ${attributes.itemprop ?? ''} ${parent?.attributes.class ?? ''}`);

/** Returns whether an element is in a part of the page about other pages. Parts that contain the title never are. */
function isElsewhere(element: TreeElement, facts: PageFacts): boolean {
  const names = isNearTitle(element, facts) || isOwnDate(element) ? LISTS : NOT_THIS;
  for (let above: TreeElement | null = element; above !== null; above = above.parent) {
    if (facts.titleFrames.has(above) || above.tag === 'body') return false;
    if (above.tag === 'nav' || (names === NOT_THIS && FRAMES.has(above.tag))) return true;
    if (names.test(`${above.attributes.class ?? ''} ${above.attributes.id ?? ''}`)) return true;
  }
  return false;
}

/** Returns whether an element's own markup marks it as the date of a text. */
const isOwnDate = ({ attributes }: TreeElement): boolean =>
  OWN_DATE.test(attributes.class ?? '') || attributes.itemprop === 'datePublished';
const OWN_DATE = /(?:post|story|article|entry|news|blog)[-_]{1,2}date|^date-header$/i;

const FRAMES: ReadonlySet<string> = new Set(['aside', 'footer']);
/** Names of lists of other pages or comments, which may be near the title too. */
const LISTS = /comment|related|recommend|popular|latest|calendar|copyright/i;
