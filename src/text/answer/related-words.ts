import { stemWord } from '../words/stems.ts';

/**
 * English words by which everyday questions and their answers speak of the same thing, where vectors say little: a verb and the noun
 * of its action, a property and what it is measured by. Opposites occur in the same sentences, and their vectors are close.
 */
const RELATED = [
  'close closes closed closing closure shut shuts shutting end',
  'build built builder erect erected construct constructed constructor construction made make establish put',
  'found founded founder start started establish established begin began set opened launched create created',
  'open opens opened opening start begin began reopened',
  'cost costs price fee charge charges admission ticket rent pay paid pound euro dollar pence came comes',
  'buy bought purchase purchased acquire acquired',
  'lead leads led leader head headed conduct conducts conductor run runs manage manages manager direct director chairman secretary captain command',
  'own owns owned owner belong belongs belonged',
  'make makes made maker produce produces build builds built manufacture construct constructed movement',
  'teach taught teacher learn learnt learned apprentice apprenticed train trained studied study read pupil',
  'die died death dead killed drowned',
  'replace replaced replacing exchange exchanged new successor renew',
  'remove removed take taken took pull pulled out extract extraction',
  'forbid forbidden ban banned prohibit prohibited allow allowed permit permitted may welcome excluded must cannot',
  'job profession work living trade employ employed employee employs staff teacher',
  'employee employees people staff person work works volunteer',
  'person people visitor guest member adult men women child singer inhabitant customer',
  'large big size measure measures area square hectare acre room',
  'heavy weigh weighs weight kilogram tonne kilo gram',
  'deep depth deepest',
  'high height tall higher highest taller',
  'long length kilometre metre mile hour',
  'old age aged year born',
  'far distance away kilometre mile visible',
  'fast speed hour knot quick',
  'warm hot temperature degree heat heated cold',
  'get got receive received obtain obtained have had',
  'keep keeps store stored fresh last borrow lend lent',
  'bike bikes bicycle bicycles cyclist cycling cycle',
  'car cars vehicle vehicles lorry automobile',
  'return returns back returned',
  'doctor physician dentist nurse',
  'rinse wash clean washing',
  'prune cut slice cutting sliced',
  'feed feeds fed food feeding',
  'lose lost losing',
  'extend extended extension longer renew',
  'money pound euro dollar cash prize',
  'trip journey crossing ride tour voyage leave',
  'late delay overdue',
  'illness disease pneumonia cancer fever',
  'husband wife married marry spouse marriage',
  'son daughter child children kid father mother parent',
  'power electricity current',
  'damage damages loss destroyed harm',
  'begin begins began beginning start starts started first from',
  'leave leaves left depart departs departure',
  'cook cooks cooked simmer boil bake fry',
  'dry dries dried dryer',
  'live lives lived resident inhabitant house reside',
  'win won winner prize victory awarded',
  'invent invented inventor devised discovered developed',
  'write wrote written author book published',
  'paint painted painter painting',
].map((words) => new Set(words.split(' ').map((word) => stemWord(word, 'en'))));
const OPPOSITES = [
  ['open opens opened opening', 'close closes closed closing closure shut'],
  [
    'begin begins began start starts started found founded establish established launch launched create created build built',
    'end ends ended finish finished dissolve dissolved abolish abolished demolish demolished destroy destroyed cease ceased bankrupt',
  ],
  ['buy buys bought acquire acquires acquired purchase purchased', 'sell sells sold sale'],
  ['born birth', 'die dies died death killed'],
  ['win wins won victory', 'lose loses lost defeat defeated'],
  ['rise rises rose increase increased grow grew', 'fall falls fell decrease decreased shrink shrank'],
  ['appoint appointed elected joined hired', 'resign resigned retired left dismissed fired'],
  ['marry married marriage', 'divorce divorced'],
  ['husband wife spouse', 'brother sister sibling son daughter father mother parent child children'],
  ['brother sister sibling', 'son daughter father mother parent child children'],
].map((sides) => sides.map((side) => new Set(side.split(' ').map((word) => stemWord(word, 'en')))));

const related = indexGroups(RELATED);
const opposites = new Map<string, Set<string>>();
for (const [one = new Set<string>(), other = new Set<string>()] of OPPOSITES) {
  for (const word of one) opposites.set(word, new Set([...other, ...(opposites.get(word) ?? [])]));
  for (const word of other) opposites.set(word, new Set([...one, ...(opposites.get(word) ?? [])]));
}

/** True when two stems are in one group of related words. */
export function areRelated(left: string, right: string): boolean {
  const groups = related.get(left);
  return groups?.some((group) => group.has(right)) ?? false;
}

/** True when two stems stand for opposites, or for relatives of different kinds. */
export function areOpposite(left: string, right: string): boolean {
  return opposites.get(left)?.has(right) ?? false;
}

function indexGroups(groups: readonly Set<string>[]): Map<string, Set<string>[]> {
  const index = new Map<string, Set<string>[]>();
  for (const group of groups) for (const word of group) index.set(word, [...(index.get(word) ?? []), group]);
  return index;
}
