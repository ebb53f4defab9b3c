import { isStopWord } from '../../text/words/stop-words.ts';
import { tokenizeWords } from '../../text/words/words.ts';

/** Words for each property, by its name. */
const ATTRIBUTES: Record<string, string> = {
  height: 'height tall high hoch höhe haut hauteur alto altura высота',
  width: 'width wide breit breite largeur ancho',
  length: 'length long lang länge longueur longitud',
  depth: 'depth deep tief tiefe profondeur',
  weight: 'weight weigh weighs weighed heavy mass masse wiegt poids pèse peso pesa',
  size: 'size large big',
  area: 'area surface covers covering fläche superficie',
  population:
    'population populous inhabitants residents people einwohner bevölkerung habitants población habitantes население',
  cost: 'cost costs costing price priced kosten kostete preis coût coûte costo precio',
  speed: 'speed fast geschwindigkeit vitesse velocidad',
  age: 'age old aged alter',
  temperature: 'temperature temperatures temperatur température temperatura',
};
const DIMENSIONS: Record<string, string> = {
  height: 'length',
  width: 'length',
  depth: 'length',
  weight: 'mass',
  area: 'area',
  population: 'count:people',
  speed: 'speed',
  temperature: 'temperature',
};
/** Words that merely link a thing to its figure. */
const JOINING =
  'measure measures measured reach reaches reached stand stands stood rise rises rising rose have has had feature features contain contains total amount amounts exact exactly approximately about around roughly nearly almost over estimated now today currently officially überhaupt beträgt est mide';
/** Words that distinguish two figures of one property. */
const QUALIFIERS =
  'average mean median maximum minimum max min highest lowest largest smallest first second third fourth last final initial original originally initially current new former total combined gross net annual monthly daily weekly per each only second-tallest upper lower north south east west inner outer male female adult juvenile young metropolitan urban rural greater official antenna spire roof tip without with excluding including';
/** Events, by the words for each. */
const EVENTS: Record<string, string> = {
  birth: 'born birth geboren né née nació nacido родился',
  death: 'died death dies gestorben starb mort morte décédé murió умер',
  founding:
    'founded founding established incorporated gegründet fondé fondée fundada fundado основан основана',
  opening:
    'opened opening inaugurated inauguration eröffnet inauguré inaugurée inaugurada inaugurado открыт открыта',
  completion: 'completed completion finished fertiggestellt vollendet achevé achevée terminada terminado',
  start: 'began begun started commenced groundbreaking begonnen commencé',
  release:
    'released release launched published publication premiered veröffentlicht erschienen publié sorti publicado lanzado',
  discovery: 'discovered discovery entdeckt découvert descubierto',
  invention: 'invented invention patented erfunden inventé inventado',
  building:
    'built constructed erected gebaut erbaut errichtet construit construite construida construido построен построена',
  signing: 'signed unterzeichnet signé firmado',
  acquisition: 'acquired acquisition bought purchased',
  closing: 'closed closing shut dissolved disbanded abolished',
  election: 'elected gewählt élu elegido',
};

const listStems = (words: string): string[] =>
  words.split(' ').flatMap((word) => [...tokenizeWords(word, 'en').slice(0, 1), word]);
const indexByStem = (table: Record<string, string>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(table).flatMap(([name, words]) =>
      listStems(words).map((stem): [string, string] => [stem, name]),
    ),
  );

/** `At 61 metres, it is the tallest tower.` */
const SUPERLATIVES: Record<string, string> = {
  height: 'tallest',
  width: 'widest',
  depth: 'deepest',
  weight: 'heaviest',
  speed: 'fastest',
};

const SUPERLATIVE_OF = indexByStem(SUPERLATIVES);
const ATTRIBUTE_OF = indexByStem(ATTRIBUTES);
const EVENT_OF = indexByStem(EVENTS);
const JOINING_STEMS = new Set(listStems(JOINING));
const QUALIFIER_STEMS = new Set(listStems(QUALIFIERS));

const REACHING = new Set(listStems('reach reaches stand stands rise rises measures'));

/** Converts a word (as `tokenizeWords` returns it) to the property that it names, or to itself if meaningful; linking words give nothing. */
export function toAttributes(term: string): string[] {
  const known = ATTRIBUTE_OF.get(term);
  if (known !== undefined) return [known];
  if (isStopWord(term) || JOINING_STEMS.has(term) || QUALIFIER_STEMS.has(term) || /^\p{N}/u.test(term))
    return [];
  return [term];
}

/** Converts a word (as `tokenizeWords` returns it) to the property or event that it names; any other word stays as it is. */
export const toProperty = (term: string): string =>
  ATTRIBUTE_OF.get(term) ?? EVENT_OF.get(term) ?? SUPERLATIVE_OF.get(term) ?? term;

/** Returns whether a word names a property or an event, and so says what is asked for, however common it is. */
export const isPropertyWord = (term: string): boolean => ATTRIBUTE_OF.has(term) || EVENT_OF.has(term);

/** Finds the dimension in which a property is measured; null if it could be several. */
export const findDimension = (property: string): string | null => DIMENSIONS[property] ?? null;

export const isQualifier = (term: string): boolean => QUALIFIER_STEMS.has(term);

export const isJoining = (term: string): boolean => JOINING_STEMS.has(term) || ATTRIBUTE_OF.has(term);
/** Returns whether a verb links a thing to a figure of any kind: `reaches`, `rises`. */
export const isReaching = (term: string): boolean => REACHING.has(term);
export const isEvent = (term: string): boolean => EVENT_OF.has(term);
/** Returns whether `name` is the name of a property rather than a word of the text. */
export const isAttribute = (name: string): boolean => Object.hasOwn(ATTRIBUTES, name);

/** Finds the event that a clause describes; null for none, and for several, because one would have to be guessed. */
export function findEvent(clause: string): string | null {
  const words = [...tokenizeWords(clause, 'en'), ...(clause.toLowerCase().match(/[\p{L}]+/gu) ?? [])];
  const events = new Set(words.flatMap((term) => EVENT_OF.get(term) ?? []));
  const [only] = events;
  return events.size === 1 && only !== undefined ? only : null;
}
