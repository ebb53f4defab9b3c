/**
 * Reads days from text: numeric, ISO and written dates in many languages. Guards against numbers that look like dates, such as
 * versions and sections. It returns days only, never times or zones, and knows nothing about pages.
 */

/** Month names and short forms in month order, without accents. Languages: en de fr es pt it nl pl ru uk tr sv da no fi cs hu ro id. */
const NAMES: string[][] = [
  'january jan januar janner janvier janv enero ene janeiro gennaio gen januari stycznia sty styczen января янв январь січня ocak oca tammikuuta leden ledna januar ianuarie'.split(
    ' ',
  ),
  'february feb februar fevrier fevr fev febrero fevereiro febbraio februari lutego lut luty февраля фев февраль лютого subat sub helmikuuta unora unor februarie'.split(
    ' ',
  ),
  'march mar marz marz mars marzo março marco maart mrt marca marzec марта мар март березня mart maaliskuuta brezna brezen marcius martie maret'.split(
    ' ',
  ),
  'april apr avril avr abril abr aprile kwietnia kwi kwiecien апреля апр апрель квітня nisan nis huhtikuuta dubna duben aprilis aprilie'.split(
    ' ',
  ),
  'may mai mayo maio mag maggio mei maja maj мая май травня mayis toukokuuta kvetna kveten majus'.split(' '),
  'june jun juni juin junio junho jun giugno giu czerwca cze czerwiec июня июн июнь червня haziran haz kesakuuta cervna cerven junius iunie juni'.split(
    ' ',
  ),
  'july jul juli juillet juil julio julho luglio lug lipca lip lipiec июля июл июль липня temmuz tem heinakuuta cervence cervenec julius iulie juli'.split(
    ' ',
  ),
  'august aug aout agosto ago augustus sierpnia sie sierpien августа авг август серпня agustos agu elokuuta srpna srpen augusztus augusti agustus'.split(
    ' ',
  ),
  'september sept sep septembre septiembre setembro set settembre wrzesnia wrz wrzesien сентября сен сентябрь вересня eylul eyl syyskuuta zari szeptember septembrie'.split(
    ' ',
  ),
  'october oct oktober okt octobre octubre outubro out ottobre ott pazdziernika paz pazdziernik октября окт октябрь жовтня ekim eki lokakuuta rijna rijen octombrie'.split(
    ' ',
  ),
  'november nov novembre noviembre novembro listopada lis listopad ноября ноя ноябрь листопада kasim kas marraskuuta listopadu noiembrie'.split(
    ' ',
  ),
  'december dec dezember dez decembre diciembre dic dezembro dicembre grudnia gru grudzien декабря дек декабрь грудня aralik ara joulukuuta prosince prosinec decembrie desember des'.split(
    ' ',
  ),
];
/** Month names in Arabic, Greek, Hebrew, Catalan and Croatian, in month order. */
const FURTHER: string[] = [
  'يناير جانفي ιανουαριου ינואר בינואר gener',
  'فبراير شباط فيفري φεβρουαριου פברואר בפברואר febrer',
  'مارس آذار μαρτιου מרץ במרץ',
  'ابريل أبريل إبريل نيسان أفريل απριλιου אפריל באפריל travnja',
  'مايو أيار ماي μαιου מאי במאי svibnja maig',
  'يونيو حزيران جوان ιουνιου יוני ביוני lipnja juny',
  'يوليو تموز جويلية ιουλιου יולי ביולי srpnja juliol',
  'اغسطس أغسطس أوت αυγουστου אוגוסט באוגוסט kolovoza agost',
  'سبتمبر أيلول σεπτεμβριου ספטמבר בספטמבר rujna setembre',
  'اكتوبر أكتوبر οκτωβριου אוקטובר באוקטובר',
  'نوفمبر νοεμβριου נובמבר בנובמבר studenoga',
  'ديسمبر δεκεμβριου דצמבר בדצמבר',
];
const BY_NAME = new Map(
  NAMES.flatMap((names, month) =>
    [...names, ...(FURTHER[month]?.split(' ') ?? [])].map((name) => [stripAccents(name), month + 1] as const),
  ),
);

const YEAR_MIN = 1990;
const YEAR_MAX = 2100;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

type DayPattern = {
  pattern: RegExp;
  parts: (groups: string[]) => [year: number, month: number | null, day: number];
  /** True when releases are numbered in this form too. */
  isVersionLike?: true;
};

/** Patterns of written days, safest first. */
const DAY_PATTERNS: DayPattern[] = [
  {
    pattern: /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/,
    parts: ([y, m, d]) => [Number(y), Number(m), Number(d)],
  },
  {
    pattern: /(?<![\d.]|[a-z_-])(\d{4})([/.])(\d{1,2})\2(\d{1,2})(?!\d|\.\d|[a-z]{1,5}\d)/i,
    parts: ([y, , m, d]) => [Number(y), Number(m), Number(d)],
    isVersionLike: true,
  },
  {
    pattern: /(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]/,
    parts: ([y, m, d]) => [Number(y), Number(m), Number(d)],
  },
  {
    pattern:
      /(?<!\d)(\d{1,2})(?:\s?(?:st|nd|rd|th|er|º)|\.)?(?:\s+|[-/.])(?:de\s+|of\s+|d')?(\p{L}{3,14})\.?,?(?:\s+|[-/.])(?:de[l]?\s+)?(\d{4})(?!\d)/iu,
    parts: ([d, name, y]) => [Number(y), findMonthNumber(name ?? ''), Number(d)],
  },
  {
    pattern: /(\p{L}{3,14})\.?\s+(\d{1,2})(?:\s?(?:st|nd|rd|th))?\s?,?\s+(\d{4})(?!\d)/iu,
    parts: ([name, d, y]) => [Number(y), findMonthNumber(name ?? ''), Number(d)],
  },
  {
    // The time format of some programs: `Mon Aug 03 12:45:00 EDT 2015`.
    pattern: /(\p{L}{3,9})\s(\d{1,2})\s\d\d:\d\d(?::\d\d)?\s(?:[A-Z]{2,5}\s)?(\d{4})(?!\d)/u,
    parts: ([name, d, y]) => [Number(y), findMonthNumber(name ?? ''), Number(d)],
  },
  {
    pattern: /(?<!\d)(\d{4})\.?\s+(\p{L}{3,14})\.?\s+(\d{1,2})(?!\d)/iu,
    parts: ([y, name, d]) => [Number(y), findMonthNumber(name ?? ''), Number(d)],
  },
];
/** Day, month and year in digits, with the same separator between them. */
const NUMBERS = /(?<![\d.]|[a-z_-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?!\d|\.\d)/i;
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:T?\d{2,6}Z?|$)/;
/** Words before numbers that are versions, parts of a text, names of standards, or copyright years. */
const BEFORE_OTHER_NUMBER =
  /(?:\b(?:v|ver|vers|versions?|rev|revision|build|firmware|sections?|sect|sec|chapters?|clause|appendix|figure|fig|rfc|iso|ieee|isbn|issn|cve|ip|copyright)[.:]?[\s-]*|[§©][\s-]*|\(c\)\s*)$/i;
const BEFORE_RELEASE = /\breleases?[.:]?\s*$/i;
/** Words that may precede a day without a comma or colon; any other word may be the name of versioned software. */
const BEFORE_DAY =
  /(?:^|[^\p{L}\d\s]\s*|(?:^|[^\p{L}\d])(?:am|vom|ab|bis|den|der|dem|on|of|dated|posted|published|updated|date|le|du|il|del|di|el|op|van|dne|od|do|mo|mi|fr|sa|so|\p{L}{3,}(?:tag|day)|datum|data|fecha|stand|от)\s+)$/iu;
const BEFORE_CHARS_MAX = 24;
/** Two-digit years from this one on belong to the last century. */
const LAST_CENTURY_FROM = YEAR_MIN % 100;

/** The order of day and month in `03/04/2024`: day first, as in most of the world, or month first. */
export type DateOrder = 'day-first' | 'month-first';

/** Reads the first day in a text, as YYYY-MM-DD, or null. The day is taken as written, in the page's own time zone. */
export function readDay(written: string, order: DateOrder = 'day-first'): string | null {
  const text = written.replace(/[٠-٩۰-۹０-９]/g, (digit) => String(digit.charCodeAt(0) & 0xf));
  const compact = COMPACT.exec(text.trim());
  if (compact !== null) return toIsoDay(Number(compact[1]), Number(compact[2]), Number(compact[3]));
  for (const { pattern, parts, isVersionLike } of DAY_PATTERNS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const before = readTextBefore(match);
    if (BEFORE_OTHER_NUMBER.test(before) || (isVersionLike && BEFORE_RELEASE.test(before))) continue;
    const [year, month, day] = parts(match.slice(1));
    const found = month === null ? null : toIsoDay(year, month, day);
    if (found !== null) return found;
  }
  return readNumbers(text, order);
}

function readNumbers(text: string, order: DateOrder): string | null {
  const match = NUMBERS.exec(text);
  if (match === null || BEFORE_OTHER_NUMBER.test(readTextBefore(match)) || isVersion(match)) return null;
  const [one, other, shortYear] = [Number(match[1]), Number(match[3]), Number(match[4])];
  const century = shortYear < LAST_CENTURY_FROM ? 2000 : 1900;
  const year = shortYear < 100 ? century + shortYear : shortYear;
  const usual = order === 'day-first' ? toIsoDay(year, other, one) : toIsoDay(year, one, other);
  return usual ?? (order === 'day-first' ? toIsoDay(year, one, other) : toIsoDay(year, other, one));
}

/**
 * Returns whether three short numbers with dots may be a version. A day with a short year is written as 06.05.24, alone or after
 * a word that introduces a day.
 */
function isVersion(match: RegExpExecArray): boolean {
  const [, one = '', mark, other = '', year = ''] = match;
  if (mark !== '.' || year.length === 4) return false;
  const before = readTextBefore(match);
  return one.length < 2 || other.length < 2 || BEFORE_RELEASE.test(before) || !BEFORE_DAY.test(before);
}

const readTextBefore = ({ input, index }: RegExpExecArray): string =>
  input.slice(Math.max(0, index - BEFORE_CHARS_MAX), index);

/** Formats a calendar day as YYYY-MM-DD; null when it does not exist or is older than the web. */
export function toIsoDay(year: number, month: number, day: number): string | null {
  const last =
    month === 2 && (year % 4 !== 0 || (year % 100 === 0 && year % 400 !== 0)) ? 28 : DAYS[month - 1];
  if (!(year >= YEAR_MIN && year <= YEAR_MAX) || last === undefined || !(day >= 1 && day <= last))
    return null;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** Finds the number of a month (1 to 12) by its name in any of the languages, or null. */
export function findMonthNumber(name: string): number | null {
  return BY_NAME.get(stripAccents(name.toLowerCase())) ?? null;
}

function stripAccents(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036F]/g, '')
    .replaceAll('ı', 'i')
    .normalize('NFC');
}
