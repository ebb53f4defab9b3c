import { tokenizeWords } from '../words/words.ts';

/**
 * Groups of English words that stand for each other in retelling a text, written by hand. Words of a subject (`gull` and `bird`) do not
 * belong here, because one is not the other.
 */
const GROUPS = `
use uses used using employ employs employed employing utilize utilizes utilized utilise utilised apply applied
many numerous multiple several various number lot plenty
big large sizeable sizable great huge considerable substantial major
small little tiny minor
important significant key crucial notable essential vital
main principal primary chief central leading major
often frequently commonly regularly repeatedly
usually generally normally typically ordinarily mostly
show shows showed shown demonstrate demonstrates demonstrated indicate indicates indicated reveal reveals revealed suggest suggests
begin begins began begun start starts started commence commenced launch launched open opened
end ends ended finish finished conclude concluded stop stopped cease ceased close closed
become becomes became turn turns turned grow grew
make makes made create creates created produce produces produced build built form forms formed
build builds built construct constructs constructed erect erected
found founded establish establishes established set create created start started form formed
get gets got receive receives received obtain obtains obtained gain gained acquire acquired
give gives gave given provide provides provided supply supplies supplied grant granted offer offers offered
call calls called name names named known termed title titled refer referred dub dubbed
locate located situate situated lie lies lay stand stands stood find found sit sits
live lives lived reside resides resided inhabit inhabits inhabited dwell
inhabitant inhabitants resident residents people citizens population
movie movies film films
about approximately roughly around nearly almost circa some
also too additionally
but yet however though although while whereas nevertheless
because since due owing thanks reason cause causes caused
lead leads led result results resulted cause causes caused bring brought
such like including include includes included example
help helps helped assist assists assisted aid aided support supported
need needs needed require requires required must necessary
try tries tried attempt attempts attempted seek sought
want wants wanted wish wishes wished
say says said state states stated claim claims claimed declare declared assert asserted argue argued note noted announce announced
think thinks thought believe believes believed consider considered regard regarded view viewed
write writes wrote written author authored pen penned compose composed
direct directed helm
design designs designed devise devised plan planned
develop develops developed create created
invent invented devise devised create created
discover discovered find found identify identified
buy buys bought purchase purchases purchased acquire acquired
sell sells sold
kill kills killed slay slain
die dies died death passed
win wins won victory triumph
beat beats beaten defeat defeats defeated overcome
allow allows allowed permit permits permitted let lets enable enables enabled
prevent prevents prevented stop stops block blocks blocked keep kept
contain contains contained hold holds held include includes included comprise comprises comprised consist consists have has had
change changes changed alter alters altered modify modified shift shifted
increase increases increased rise rises rose risen grow grows grew climb climbed
decrease decreases decreased fall falls fell fallen drop drops dropped decline declines declined reduce reduced shrink shrank
keep keeps kept retain retains retained maintain maintains maintained
remain remains remained stay stays stayed
move moves moved relocate relocated transfer transferred shift shifted
choose chooses chose chosen select selects selected pick picked elect
take takes took taken last lasts lasted
work works worked serve serves served
join joins joined enter entered
leave leaves left depart departed exit
return returns returned back
happen happens happened occur occurs occurred place took
appear appears appeared seem seems seemed
publish publishes published release releases released issue issued
home house houses host hosts hosted
job work position post role
area region zone district territory
city town municipality
country nation state
firm company business corporation
kid kids child children
car cars automobile automobiles
picture pictures image images photo photos photograph photographs
start beginning onset outset
total overall whole entire complete
fast quick rapid quickly rapidly swiftly
immediately once instantly
currently now presently today
formerly previously earlier before prior
later afterwards subsequently then after
together jointly
own owns owned possess possesses possessed
fix fixes fixed repair repairs repaired
measure measures measured reach reaches reached stand stands tall high height
weigh weighs weighed weight mass
cost costs costing price priced
old aged age
large area cover covers covered span spans spanned
way manner method means
part portion section piece share
kind type sort form variety
goal aim purpose objective
idea concept notion
rule law regulation
mistake error fault
problem issue difficulty
difference distinction
famous well-known renowned celebrated noted
hard difficult challenging
easy simple straightforward
enough sufficient adequate
wrong incorrect mistaken
right correct
rich wealthy affluent
sick ill
doctor physician
lawyer attorney
fight fought battle
whole entire
further more additional another
`;
const GROUPS_OF = indexGroups();

/** Checks whether a text, given by its words and stems, holds another word for `word`. */
export function hasOtherWord(word: string, words: ReadonlySet<string>): boolean {
  return (GROUPS_OF.get(word) ?? []).some((group) => group.some((other) => words.has(other)));
}

function indexGroups(): ReadonlyMap<string, string[][]> {
  const groups = new Map<string, string[][]>();
  for (const line of GROUPS.trim().split('\n')) {
    const members = line.split(' ').flatMap((word) => [word, ...tokenizeWords(word, null)]);
    for (const word of line.split(' ')) groups.set(word, [...(groups.get(word) ?? []), members]);
  }
  return groups;
}
