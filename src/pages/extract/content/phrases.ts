import { patternSet } from './patterns/pattern-set.ts';

/** Phrases that identify a short text, in the most frequent languages of pages. */
const PHRASES: [name: string, pattern: RegExp][] = [
  ['copyright', /©|\(c\)|copyright|all rights reserved|alle rechte|tous droits|todos los derechos|版权所有/],
  ['consent', /cookies?\b|privacy|datenschutz|confidentialit|privacidad|gdpr|terms (?:of|and)|impressum/],
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
  ['byline', /^(?:by|von|par|por|di|written by|posted by|author|reviewed by|edited by)\b/],
  [
    'dated',
    /\b(?:19|20)\d\d\b.{0,30}|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d+ (?:min|hours?|days?|weeks?|months?|years?) ?(?:ago|read)?/,
  ],
  ['updated', /published|updated|posted|last modified|min(?:ute)?s? read|reading time/],
  ['price', /[$€£¥₹]\s?\d|\d\s?[€£₹]|\b(?:usd|eur|gbp)\b|\bprice|\bfree shipping/],
  [
    'shop',
    /add to (?:cart|bag|basket|wish)|buy now|in stock|out of stock|sold out|quantity|checkout|wishlist|warenkorb|panier|carrito|quick (?:view|shop|add)/,
  ],
  ['rating', /\breviews?\b|\bratings?\b|★|☆|out of 5|\d(?:\.\d)? stars?/],
  [
    'cta',
    /^(?:get|start|try|book|request|contact|call|download|apply|join|shop|order|schedule|talk|donate|buy)\b/,
  ],
  ['crumb', /[›»>/|•·]\s*\S|^home\b/],
  [
    'previousNext',
    /^(?:«|‹|←|<)?\s*(?:prev(?:ious)?|next|older|newer|back|weiter|suivant|anterior|siguiente)\b|^\d{1,3}$|page \d+/,
  ],
  ['skip', /skip to|jump to|back to top|scroll to|toggle|menu|close|open|expand|collapse/],
  [
    'filter',
    /^(?:sort|filter|refine|show|view|clear|reset|apply|results?|search|browse|categor|all)\b|sort by|\d (?:results|items|products)/,
  ],
  ['advert', /advert|sponsor|promoted|affiliate|commission|anzeige|publicit/],
  [
    'edit',
    /^\[?(?:edit|bearbeiten|modifier|editar|copy|report|flag|like|quote|print|improve|was this)\b|helpful|\bpermalink|^[#¶§]$/,
  ],
  ['contact', /@\w+\.\w|\+?\d[\d\s().-]{8,}|\bphone|\bfax\b|address|hours|open(?:ing)? (?:hours|times)/],
  [
    'joined',
    /\bjoined\b|\bposts?:|\bmember|\breputation|\bpoints?\b|\bvotes?\b|\bviews?\b|\bbadge|moderator|registered/,
  ],
  ['tags', /^(?:tags?|topics?|categor|filed under|labels?|keywords|schlagw)\b/],
  [
    'image',
    /^(?:photo|image|credit|getty|source|figure|fig\.|foto|bild)\b|getty|shutterstock|unsplash|photo(?:graph)? by/,
  ],
];
/** Longer texts contain such words by chance. */
const WORDS_MAX = 40;

export const PHRASE_NAMES: readonly string[] = PHRASES.map(([name]) => name);

const phraseBits = patternSet(PHRASES.map(([, pattern], index) => [1 << index, pattern]));

/** One bit for each phrase found in a text of `words` words. */
export function phrasesIn(text: string, words: number): number {
  return words > WORDS_MAX ? 0 : phraseBits(text.toLowerCase());
}
