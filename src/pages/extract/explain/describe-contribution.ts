import { FAR } from '../content/page-view.ts';

/** The change that a feature made to a block's score, in log odds. */
export type Contribution = { feature: string; value: number; weight: number };

/** Words for the features whose name matches: when they raise the score, and when they lower it. */
const WORDS: [features: RegExp, raises: string, lowers: string][] = [
  [/linkShare$/, 'has few links', 'is mostly links, or among them'],
  [
    /^(?:words|chars|stops|texts|endsStop|own:.*|tagIndex|inlineHints)$/,
    'looks like text',
    'does not look like text',
  ],
  [/^(?:digitShare|capitalShare)$/, 'is spelled like text', 'is spelled like a label'],
  [
    /^(?:inTitle|titleShare|titleShare:best|headingLevel)$/,
    'fits the title of the page',
    'has nothing of the title of the page',
  ],
  [
    /^(?:inContainer|container.*|sharedDepth|overContainer|inTitledBox|titledBox.*|upToTitledBox)$/,
    'stands in the main column',
    'stands outside the main column',
  ],
  [/^(?:up\d|section|top):|^(?:near\d+|at-?1):/, 'has text around it', 'has little text around it'],
  [
    /^(?:sinceHeading|wordsSinceHeading|lastHeadingLevel|headingSays|wordsToHeading)$/,
    'stands below a heading of the content',
    'stands below a heading of something else, or far from one',
  ],
  [/^(?:passed:.*|sinceEnd|wordsSinceEnd)$/, 'comes before the end of the content', 'comes after its end'],
  [/^(?:inComments|page:commentShare)$/, 'is not among comments', 'is among comments'],
  [/^alike\d:/, 'blocks of the same pattern hold text', 'blocks of the same pattern hold menus or teasers'],
  [/^sameText/, 'says what the page says once', 'says what the page says elsewhere too'],
  [/^page:/, 'belongs to pages of this kind', 'seldom belongs to pages of this kind'],
];
const BY_PLACE = ['stands where the text is', 'stands away from the text'] as const;

/** Says in plain words what a feature says for or against a block. */
export function describeContribution({ feature, value, weight }: Contribution): string {
  const [kind, name = ''] = feature.split(':');
  if (kind === 'hint' || kind === 'in') {
    const what = kind === 'in' ? `<${name}>` : `an element named like ${name}`;
    return value < FAR ? `is in ${what}` : `is not in ${what}`;
  }
  const [, raises, lowers] = WORDS.find(([features]) => features.test(feature)) ?? ['', ...BY_PLACE];
  return weight > 0 ? raises : lowers;
}
