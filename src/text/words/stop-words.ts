import { stem } from 'porter2';

/** English function words and the words that questions are made of. */
const WORDS = `
a about above after again all also am an and any are aren as at be because been before being below between both but by
can cannot could couldn did didn do does doesn doing don done down during each else ever few for from further get gets got
had hadn has hasn have haven having he her here hers herself him himself his how however i if in into is isn it its itself
just let like ll may me might more most much must my myself no nor not of off on once only onto or other our ours ourselves
out over own per re same shall she should shouldn so some such than that the their theirs them themselves then there these
they this those through thus to too under until up upon us ve very via want was wasn way we were weren what when where
whether which while who whom whose why will with within without won would wouldn yes yet you your yours yourself
`;

const STEMS: ReadonlySet<string> = new Set(
  WORDS.split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => [word, stem(word)]),
);

/** Whether a term, as `wordsOf` gives it, carries no topic of its own in English. */
export const isStopWord = (term: string): boolean => STEMS.has(term);
