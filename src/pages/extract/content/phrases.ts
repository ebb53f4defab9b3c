import { createPatternSet } from './patterns/pattern-set.ts';

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

/** Returns one bit for each phrase found in a text of `words` words. */
export function matchPhrases(text: string, words: number): number {
  return words > WORDS_MAX ? 0 : matchPhrasePatterns(text.toLowerCase());
}
