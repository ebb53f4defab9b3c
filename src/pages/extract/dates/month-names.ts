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
