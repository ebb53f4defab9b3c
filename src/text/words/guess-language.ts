import type { Chunk } from '../chunk/chunk.ts';

const SCRIPTS: [language: string, script: RegExp][] = [
  ['ru', /\p{Script=Cyrillic}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['ta', /\p{Script=Tamil}/gu],
  ['hy', /\p{Script=Armenian}/gu],
];
/** Function words that few of the other languages share. */
const WORDS: Record<string, string> = {
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
const LANGUAGES = Object.entries(WORDS).map(([language, words]): [string, Set<string>] => [
  language,
  new Set(words.split(' ')),
]);

const SAMPLE_CHARS = 1_200;
const SCRIPT_SHARE_MIN = 0.3;
/** Fewer function words than this among the words of a text name no language. */
const WORD_SHARE_MIN = 0.12;

/** The language of a page that does not say it (a primary subtag), by its script or its function words; null when neither tells. */
export function guessLanguage(chunks: readonly Chunk[]): string | null {
  const middle = chunks[Math.floor(chunks.length / 2)]?.markdown ?? '';
  const sample = `${middle}\n${chunks[0]?.markdown ?? ''}`.slice(0, SAMPLE_CHARS).toLowerCase();
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  for (const [language, script] of SCRIPTS)
    if ((sample.match(script)?.length ?? 0) > letters * SCRIPT_SHARE_MIN) return language;
  const words = sample.match(/\p{L}+/gu) ?? [];
  let best: { language: string | null; count: number } = {
    language: null,
    count: words.length * WORD_SHARE_MIN,
  };
  for (const [language, known] of LANGUAGES) {
    const count = words.filter((word) => known.has(word)).length;
    if (count > best.count) best = { language, count };
  }
  return best.language;
}
