import { resolveStemLanguage } from './stems.ts';
import { STOP_WORDS } from './stop-words.ts';
import { tokenizeWords } from './words.ts';

/*
 * Verbs and nouns that occur in questions on any subject, written by hand and keyed by primary language subtag, like STOP_WORDS.
 * One of them alone does not make a page relevant to a question.
 */
const LIGHT_WORDS: Readonly<Record<string, string>> = {
  ar: 'أجد نجد أستخدم استخدام أعمل عمل أفعل فعل أحصل الحصول أريد أستطيع يمكن يمكنني اشرح أعط أخبر طريقة أفضل',
  da: 'finde find finder bruge bruger lave laver gøre gør få får tage tager give giver vise vis fortæl forklar virker måde bedste bedst skal kunne vil brug hjælp',
  de: 'finden finde findet gefunden benutzen benutze nutzen nutzt verwenden verwende verwendet machen mache macht gemacht tun tut bekommen bekomme bekommt brauchen brauche braucht geben gib zeigen zeig zeige erklären erkläre sagen sag bedeutet funktioniert möglich möglichkeit weise besten beste muss müssen soll sollte will möchte lassen lässt gehen geht kommen kommt',
  el: 'βρω βρίσκω βρίσκει βρίσκουν χρησιμοποιώ χρησιμοποιήσω κάνω κάνει κάνουν παίρνω πάρω θέλω θέλει μπορώ μπορεί δώσε δείξε εξήγησε τρόπος καλύτερος καλύτερο πρέπει',
  en: 'find finds finding found use uses used using make makes making made get gets getting give gives given show shows shown tell tells explain explains please know knows need needs needed help helps work works working take takes taking taken put puts happen happens mean means keep keeps go goes going come comes look looks looking try tries trying start possible way ways best good better thing things kind kinds type different difference many much long often between without',
  es: 'encontrar encuentro encuentra encuentran usar uso usa usan utilizar utilizo utiliza hacer hago hace hacen hecho obtener obtengo conseguir dar da dame mostrar muestra muéstrame explicar explica decir dime puedo puede pueden poder quiero necesito necesita funciona significa mejor mejores manera forma posible debo debe',
  fi: 'löytää löydän löytävät käyttää käytän käytetään tehdä teen tekee saada saan saa antaa anna näytä kerro selitä voin voi voivat haluan tarvitsen toimii tarkoittaa paras parhaat tapa mahdollista pitää',
  fr: 'trouver trouve trouvent trouvé utiliser utilise utilisent utilisé faire fais fait font obtenir obtiens donner donne montrer montre expliquer explique dire dis peut peux peuvent pouvoir veux besoin marche fonctionne signifie meilleur meilleure meilleurs façon manière possible dois doit mettre prendre',
  hi: 'खोजें खोजना ढूंढें ढूंढना मिले मिलता मिलते उपयोग इस्तेमाल प्रयोग बनाएं बनाना बनाते करें करना करे पाएं पाना दें दिखाएं बताएं बताओ समझाएं सकते सकता सकती चाहिए चाहता तरीका अच्छा सबसे काम',
  hu: 'talál találni találok találnak használ használni használok használható csinál csinálni tesz tenni kap kapni kapok ad adj mutasd mondd magyarázd lehet tudok tudom akarok kell működik jelent legjobb mód módja',
  id: 'menemukan temukan mencari cari menggunakan gunakan pakai memakai membuat buat melakukan lakukan mendapatkan dapatkan memberi beri tunjukkan jelaskan beritahu bisa dapat ingin perlu butuh bekerja berarti terbaik cara mungkin harus',
  it: 'trovare trovo trova trovano usare uso usa usano utilizzare utilizzo utilizza fare faccio fa fanno fatto ottenere ottengo dare dammi mostrare mostra mostrami spiegare spiega dire dimmi posso può possono potere voglio bisogno funziona significa migliore migliori modo possibile devo deve mettere prendere',
  nl: 'vinden vind vindt gevonden gebruiken gebruik gebruikt maken maak maakt gemaakt doen doe doet gedaan krijgen krijg krijgt geven geef tonen toon laat zien uitleggen leg vertel zeg kan kunnen wil nodig werkt betekent beste manier mogelijk moet moeten zetten nemen',
  no: 'finne finn finner bruke bruker lage lager gjøre gjør få får ta tar gi gir vise vis fortell forklar virker måte beste best skal kunne vil bruk hjelp',
  pl: 'znaleźć znajdę znajduje użyć używać używa użycie zrobić robić robi dostać dostanę dać daj pokaż pokazać powiedz wyjaśnij mogę może można chcę potrzebuję działa znaczy najlepszy najlepsze sposób możliwe trzeba muszę',
  pt: 'encontrar encontro encontra encontram usar uso usa usam utilizar utilizo utiliza fazer faço faz fazem feito obter obtenho conseguir dar dá mostrar mostre explicar explique dizer diga posso pode podem poder quero preciso funciona significa melhor melhores maneira forma jeito possível devo deve colocar pegar',
  ro: 'găsi găsesc găsește folosi folosesc folosește utiliza utilizez face fac facem făcut obține obțin da dă arată explică spune pot poate vreau nevoie funcționează înseamnă bun mod posibil trebuie',
  ru: 'найти находить находят нахожу использовать использую используют использует сделать делать делаю делают делает получить получать получаю дать дай показать покажи объяснить объясни сказать скажи расскажи можно могу может могут хочу нужно надо работает значит лучший лучшие лучше способ возможно должен',
  sv: 'hitta hittar finna finner använda använder göra gör gjort få får ta tar ge ger visa visar berätta förklara fungerar betyder sätt bästa bäst ska kan vill måste möjligt hjälp',
  tr: 'bul bulmak bulunur bulurum bulur kullan kullanmak kullanılır kullanırım yap yapmak yapılır yaparım yapar al almak alınır alırım ver vermek göster anlat açıkla söyle olur istiyorum gerekir gerek lazım çalışır anlamı demek iyi yol yolu mümkün edilir edebilirim',
  uk: 'знайти знаходити знаходять використати використовувати використовую зробити робити роблю робить отримати отримувати дати дай показати покажи пояснити поясни сказати скажи розкажи можна можу може хочу треба потрібно працює означає найкращий найкраще спосіб можливо',
  vi: 'tìm thấy dùng sử dụng làm lấy nhận đưa hiển thị giải thích nói muốn cần thể được tốt nhất cách phải giúp',
};

const NO_WORDS: ReadonlySet<string> = new Set();
const read = new Map<string, { stop: ReadonlySet<string>; light: ReadonlySet<string> }>();

/** Returns, as terms, the function words of a language (BCP 47; null counts as English) and the light words of its questions. */
export function findEmptyWords(language: string | null): {
  stop: ReadonlySet<string>;
  light: ReadonlySet<string>;
} {
  const primary = toPrimarySubtag(language);
  const known = read.get(primary);
  if (known !== undefined) return known;
  const readTerms = (table: Readonly<Record<string, string>>): ReadonlySet<string> =>
    Object.hasOwn(table, primary) ? new Set(tokenizeWords(table[primary] ?? '', primary)) : NO_WORDS;
  const words = { stop: readTerms(STOP_WORDS), light: readTerms(LIGHT_WORDS) };
  if (words.stop.size > 0) read.set(primary, words);
  return words;
}

const NORWEGIAN: ReadonlySet<string> = new Set(['nb', 'nn']);

/** Returns the primary subtag of a language (BCP 47), the table of words that it has; null counts as English. */
export function toPrimarySubtag(language: string | null): string {
  const primary = (language ?? 'en').toLowerCase().split(/[-_]/)[0] ?? 'en';
  return NORWEGIAN.has(primary) ? 'no' : primary;
}

/**
 * Minimum number of function words that a query must contain in a language other than English. It must also contain more of them
 * than English ones.
 */
const TOLD_MIN = 1;

/**
 * Picks the language of a query among those of an index: the one with the most function words in it; English unless another has
 * more.
 */
export function detectQueryLanguage(
  languages: readonly (string | null)[],
  terms: (language: string | null) => readonly { text: string }[],
): string | null {
  let best: { language: string | null; said: number } = { language: null, said: TOLD_MIN - 1 };
  const countFunctionWords = (language: string | null): number => {
    const { stop, light } = findEmptyWords(language);
    return terms(language).filter(({ text }) => stop.has(text) || light.has(text)).length;
  };
  const english = countFunctionWords(null);
  for (const language of languages) {
    if (resolveStemLanguage(language) === 'en') continue;
    const count = countFunctionWords(language);
    if (count > Math.max(best.said, english)) best = { language, said: count };
  }
  return best.language;
}
