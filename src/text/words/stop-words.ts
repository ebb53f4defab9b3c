import { stem } from 'porter2';

/* The only table of words that carry no topic of their own, written by hand. Keyed by primary language subtag. */
const ENGLISH = `
a about above after again all also am an and any are aren as at be because been before being below between both but by
can cannot could couldn did didn do does doesn doing don done down during each else ever few for from further get gets got
had hadn has hasn have haven having he her here hers herself him himself his how however i if in into is isn it its itself
just let like ll may me might more most much must my myself no nor not of off on once only onto or other our ours ourselves
out over own per re same shall she should shouldn so some such than that the their theirs them themselves then there these
they this those through thus to too under until up upon us ve very via want was wasn way we were weren what when where
whether which while who whom whose why will with within without won would wouldn yes yet you your yours yourself
`;

/** Function words and question words. */
export const STOP_WORDS: Readonly<Record<string, string>> = {
  ar: 'من في على إلى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا متى أين كيف كم لماذا هل أي أية هو هي هم كان كانت يكون تم قد لم لا أن إن أو ثم بعد قبل عند كل بين كما حتى عدد اسم بأي لأي فيما بها به له لها منها منه فيها فيه',
  da: 'og i at det som en et er af på for den de til med ikke var har kan blev hvad hvem hvor hvornår hvilken hvilket hvilke hvordan hvorfor mange meget om fra ved efter sin sit sine han hun',
  de: 'der die das den dem des ein eine einer eines einem einen und oder aber in im an am auf aus bei beim mit nach von vom vor zu zum zur für über unter durch um als wie ist war sind waren wird wurde wurden werden hat hatte haben hatten sein seine seiner seinen ihr ihre es er sie man sich nicht auch noch nur was wer wen wem wann wo wohin woher warum wieso welche welcher welches welchen welchem viel viele dass kann können konnte gibt gab dieser diese dieses so bis zwischen wofür womit wodurch worauf',
  el: 'ο η το οι τα του της των τον την τους τις και ή να θα που με σε στο στη στην στον στα στις στους από για ως είναι ήταν έχει είχε τι ποιος ποια ποιο ποιοι ποιες ποιον ποιου ποιας πού πότε πώς πόσο πόσα πόσοι πόσες πόση γιατί δεν μη ένα μια ένας μιας ενός αυτό αυτή αυτός κατά μετά πριν',
  en: ENGLISH,
  es: 'el la los las un una unos unas de del al a en y o u e que qué quién quiénes cuál cuáles cuándo cuánto cuántos cuánta cuántas dónde cómo por para con sin sobre entre desde hasta es era fue son eran fueron ser ha había han hay se su sus lo le les no más como este esta estos estas ese esa tiene tenía tipo durante según además',
  fi: 'ja on ei se että oli mutta myös kun hän ovat joka jotka sen tai mitä mikä kuka missä milloin miksi miten kuinka montaa monta minkä ketkä olivat ollut',
  fr: 'le la les un une des de du au aux en à et ou que qui quoi quel quelle quels quelles quand où comment combien pourquoi dans par pour sur avec sans sous entre est était sont étaient fut ont a avait être il elle ils elles on se son sa ses leur leurs ce cet cette ces ne pas plus lors pendant selon',
  hi: 'का की के को में से पर ने है हैं था थी थे हो होता होती होते हुआ हुई हुए और या कि जो यह वह वे ये इस उस एक क्या कौन किस किसने किसे किसका किसकी किसके कब कहाँ कहां कैसे कितना कितने कितनी क्यों कौनसा कौनसी तक लिए साथ भी ही नहीं द्वारा किया गया गई गए कर रहा जा सकता दिया करने करता',
  hu: 'a az egy és vagy hogy nem is volt van meg de ez csak ami mi ki mikor hol hogyan miért mennyi hány melyik milyen kik mit kit',
  id: 'yang dan di dengan untuk pada dari ini dalam adalah tidak oleh itu apa siapa kapan mana bagaimana mengapa berapa ke akan telah',
  it: 'il lo la i gli le un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal dalla in nel nella nei nelle con su sul sulla per tra fra e o che chi cosa quale quali quando dove come quanto quanti quanta quante perché è era sono erano fu furono ha aveva hanno si suo sua suoi sue non più anche',
  nl: 'de het een en of van in op te aan met voor bij uit naar om als is was zijn waren werd werden wordt heeft had hebben dat die dit deze wat wie waar wanneer waarom hoe welke welk hoeveel niet ook nog er door over tot zijn haar hun',
  no: 'og i at det som en et er av på for den de til med ikke var har kan ble hva hvem hvor når hvilken hvilket hvilke hvordan hvorfor mange mye om fra ved etter sin sitt sine han hun',
  pl: 'i w na z do że się nie jest to od za o po jak co kto kiedy gdzie jaki jaka jakie ile dlaczego który która które był była było były przez dla lub oraz',
  pt: 'o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às e ou que quem qual quais quando onde como quanto quantos quanta quantas por para com sem sobre entre é era foi são eram foram ser há tem tinha se seu sua seus suas não mais durante',
  ro: 'un o de la în din pe cu pentru prin și sau că ce cine care când unde cum cât câți câte câtă cărei cărui al ale a ai lui lor este era sunt erau fost au are avea se nu mai dintre după între despre către sub ca fi cea cel cei cele unei unui său sa lea',
  ru: 'и в во на с со к по из от до у о об за для при под над без между через не ни а но или как что чего чем чему кто кого кому кем когда где куда откуда какой какая какое какие какого какую каким какова каков каким сколько почему зачем который которая которое которые которого был была было были быть есть это этот эта эти его её их он она они же ли бы также',
  sv: 'och i att det som en ett är av på för den de till med inte var har kan blev vad vem var när vilken vilket vilka hur varför många mycket om från vid efter sin sitt sina han hon',
  tr: 've veya ile bir bu şu o da de ki mi mı mu mü ne kim kimi kimin nerede nereye nereden nasıl neden niçin hangi hangisi kaç kaçta zaman için gibi kadar sonra önce olarak olan oldu olduğu olduğunu idi var yok daha en çok her ise göre tarafından nedir kimdir neydi vardı vardır',
  uk: 'і в у на з до по із від про за для при під над без між через не ні а але або як що чого чим хто кого коли де куди звідки який яка яке які скільки чому був була було були бути є це цей ця ці його її їх він вона вони',
  vi: 'là của và các những một trong cho với được bị tại từ đến ở vào khi nào gì ai đâu bao nhiêu thế như sao vì có không đã đang sẽ này đó ra để về trên dưới theo loại',
};

/** Stop words of languages written without spaces; removed from a query before it is split into grams. */
export const UNSPACED_STOP_WORDS: Readonly<Record<string, readonly string[]>> = {
  ja: [
    '何ですか',
    'ですか',
    'ますか',
    'ました',
    'ましたか',
    'という',
    'どのような',
    'どこ',
    'いつ',
    'だれ',
    '誰',
    '何',
    'なぜ',
    'どの',
    'いくつ',
  ],
  th: [
    'อะไรบ้าง',
    'อะไร',
    'ใครบ้าง',
    'ใคร',
    'เมื่อใด',
    'เมื่อไหร่',
    'เมื่อไร',
    'ที่ไหน',
    'ที่ใด',
    'เท่าไหร่',
    'เท่าไร',
    'เท่าใด',
    'อย่างไร',
    'ทำไม',
    'หรือไม่',
    'คือ',
    'เป็น',
    'ของ',
    'ได้',
    'และ',
    'ที่',
    'ใน',
    'ใด',
    'ไหน',
    'กี่',
    'มี',
    'ให้',
    'จาก',
    'โดย',
    'กับ',
    'การ',
    'ความ',
    'จะ',
    'ถูก',
    'นี้',
    'แห่ง',
    'จำนวน',
    'ว่า',
  ],
  zh: [
    '什么',
    '什麼',
    '多少',
    '哪些',
    '哪个',
    '哪里',
    '哪位',
    '哪',
    '谁',
    '誰',
    '怎么',
    '怎麼',
    '如何',
    '为什么',
    '何时',
    '是',
    '的',
    '了',
    '吗',
  ],
};

/** Stop words that few other languages share, used to detect the language of a text. */
export const LANGUAGE_MARKERS: Readonly<Record<string, string>> = {
  en: 'the of and to in is that for it with was on are this by from',
  de: 'der die und das den von ist mit des dem nicht ein eine auf zu',
  fr: 'le les des et la une dans est que pour qui du sur pas au',
  es: 'el los las y la una que en por con del para es como su',
  it: 'il di che la della una per non sono gli dei con del le alla',
  pt: 'o os as e uma que em não com do da para dos ao na',
  nl: 'de het een van en dat niet op zijn voor met te aan er ook',
  sv: 'och att det som en är av på för den med ett inte till om',
  da: 'og at det som en er af på for den med til ikke et de',
  ro: 'și de la în cu o care pentru este din nu pe al ale sunt',
  tr: 've bir bu da de için ile olarak olan daha çok gibi en kadar sonra',
  fi: 'ja on ei se että oli mutta myös kun hän ovat joka sen tai',
  hu: 'a az és hogy nem is egy volt meg de ez csak ami azt',
  id: 'yang dan di dengan untuk pada dari ini dalam adalah tidak oleh itu',
};

/** Words that address an assistant rather than name the topic. */
export const REQUEST_WORDS: readonly string[] = ['please', 'tell', 'explain', 'show', 'give', 'find'];

const ENGLISH_STEMS: ReadonlySet<string> = new Set(
  ENGLISH.split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => [word, stem(word)]),
);

/** True for English stop words; `term` is in the form that `tokenizeWords` returns. */
export const isStopWord = (term: string): boolean => ENGLISH_STEMS.has(term);
