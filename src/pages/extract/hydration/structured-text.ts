import type { JsonLd } from '../metadata/json-ld.ts';
import { readLdText } from '../metadata/json-ld.ts';
import type { TreeNode } from '../table-shape.ts';
import { type DataObject, isDataObject, makeElement, makeText, parseNodes } from './rich-text.ts';

const ITEMS_MAX = 500;

/** Builds the text that a page's JSON-LD holds: articles, recipes, instructions, questions, events, jobs, products. */
export function buildStructuredText(objects: readonly JsonLd[]): TreeNode[] {
  for (const [type, write] of WRITERS) {
    const found = objects.find(({ types }) => types.some((name) => type.test(name)));
    const nodes = found === undefined ? [] : write(found.value);
    if (nodes.length > 0) return nodes;
  }
  return [];
}

const WRITERS: [type: RegExp, write: (object: DataObject) => TreeNode[]][] = [
  [
    /article$|^blogposting$|^report$|^creativework$/,
    ({ articleBody, text }) => buildProse(articleBody ?? text),
  ],
  [/^recipe$/, buildRecipe],
  [/^howto$/, buildHowTo],
  [/^(?:faqpage|qapage)$/, buildQuestions],
  [/^jobposting$/, buildJob],
  [/event$/, buildEvent],
  [/^product(?:group)?$/, buildProduct],
];

function buildRecipe(object: DataObject): TreeNode[] {
  return [
    ...buildProse(object.description),
    ...buildSection(
      'Ingredients',
      buildList('ul', toList(object.recipeIngredient ?? object.ingredients).map(joinTexts)),
    ),
    ...buildSection('Instructions', buildSteps(object.recipeInstructions)),
    ...buildFacts([
      ['Yield', object.recipeYield],
      ['Preparation time', object.prepTime],
      ['Cooking time', object.cookTime],
      ['Total time', object.totalTime],
    ]),
  ];
}

function buildHowTo(object: DataObject): TreeNode[] {
  return [
    ...buildProse(object.description),
    ...buildSection('Supplies', buildList('ul', toList(object.supply).map(joinTexts))),
    ...buildSection('Tools', buildList('ul', toList(object.tool).map(joinTexts))),
    ...buildSection('Steps', buildSteps(object.step)),
  ];
}

function buildQuestions({ mainEntity }: DataObject): TreeNode[] {
  return toList(mainEntity)
    .filter(isDataObject)
    .flatMap((question) => {
      const answers = [...toList(question.acceptedAnswer), ...toList(question.suggestedAnswer)].filter(
        isDataObject,
      );
      const written = answers.flatMap(({ text }) => buildProse(text));
      return written.length === 0 ? [] : [buildHeading(readLdText(question.name) ?? ''), ...written];
    });
}

function buildJob(object: DataObject): TreeNode[] {
  const place = toList(object.jobLocation)
    .filter(isDataObject)
    .map(({ address }) => formatAddress(address));
  return [
    ...buildFacts([
      ['Employer', object.hiringOrganization],
      ['Location', place],
      ['Employment type', object.employmentType],
      ['Salary', formatSalary(object.baseSalary)],
      ['Posted', object.datePosted],
      ['Apply by', object.validThrough],
    ]),
    ...buildProse(object.description),
    ...['responsibilities', 'qualifications', 'skills', 'jobBenefits'].flatMap((name) =>
      buildSection(NAMES[name] ?? name, buildProse(object[name])),
    ),
  ];
}
const NAMES: Record<string, string> = {
  responsibilities: 'Responsibilities',
  qualifications: 'Qualifications',
  skills: 'Skills',
  jobBenefits: 'Benefits',
};

function buildEvent(object: DataObject): TreeNode[] {
  const [location] = toList(object.location).filter(isDataObject);
  const place = location === undefined ? null : [readLdText(location), formatAddress(location.address)];
  return [
    ...buildFacts([
      ['Starts', object.startDate],
      ['Ends', object.endDate],
      ['Place', place],
      ['Organiser', object.organizer],
    ]),
    ...buildProse(object.description),
  ];
}

function buildProduct(object: DataObject): TreeNode[] {
  const offers = toList(object.offers).filter(isDataObject);
  const properties = toList(object.additionalProperty).filter(isDataObject);
  return [
    ...buildProse(object.description),
    ...buildFacts([
      ['Brand', object.brand],
      ['Price', offers.map(formatPrice)],
      ['SKU', object.sku],
      ['Colour', object.color],
      ['Material', object.material],
      ...properties.map(({ name, value }): Fact => [readLdText(name) ?? '', value]),
    ]),
  ];
}

function formatPrice({ price, lowPrice, highPrice, priceCurrency }: DataObject): string | null {
  const amount = joinTexts(price ?? lowPrice);
  if (amount === '') return null;
  const most = price === undefined && highPrice !== undefined ? ` to ${joinTexts(highPrice)}` : '';
  return `${amount}${most} ${joinTexts(priceCurrency)}`.trim();
}

function formatSalary(value: unknown): string | null {
  if (!isDataObject(value)) return readLdText(value);
  const amount = isDataObject(value.value) ? value.value : value;
  const range = [amount.minValue, amount.maxValue].map(joinTexts).filter((text) => text !== '');
  const number = range.length > 0 ? range.join(' to ') : joinTexts(amount.value);
  return number === ''
    ? null
    : [number, joinTexts(value.currency), joinTexts(amount.unitText).toLowerCase()].join(' ').trim();
}

function formatAddress(address: unknown): string {
  if (!isDataObject(address)) return joinTexts(address);
  return ['streetAddress', 'postalCode', 'addressLocality', 'addressRegion', 'addressCountry']
    .map((name) => joinTexts(address[name]))
    .filter((text) => text !== '')
    .join(', ');
}

/** Builds steps in order, with the name of each section above its steps. */
function buildSteps(value: unknown): TreeNode[] {
  if (typeof value === 'string') return buildProse(value);
  const all = toList(value);
  const sections = all.filter(isDataObject).filter(({ itemListElement }) => itemListElement !== undefined);
  if (sections.length === 0) return buildList('ol', all.map(readStep));
  return sections.flatMap((part) => [
    makeElement('h3', [makeText(readLdText(part.name) ?? '')]),
    ...buildList('ol', toList(part.itemListElement).map(readStep)),
  ]);
}

const readStep = (step: unknown): string =>
  isDataObject(step) ? (readLdText(step.text) ?? readLdText(step) ?? '') : joinTexts(step);

type Fact = [name: string, value: unknown];

function buildFacts(pairs: Fact[]): TreeNode[] {
  const written = pairs
    .map(([name, value]) => [name, joinTexts(value)] as const)
    .filter(([name, text]) => name !== '' && text !== '');
  return buildList(
    'ul',
    written.map(([name, text]) => `${name}: ${text}`),
  );
}

function buildSection(title: string, nodes: TreeNode[]): TreeNode[] {
  return nodes.length === 0 ? [] : [buildHeading(title), ...nodes];
}

const buildHeading = (text: string): TreeNode => makeElement('h2', [makeText(text)]);

function buildList(tag: 'ul' | 'ol', items: string[]): TreeNode[] {
  const shown = items.filter((item) => item !== '').slice(0, ITEMS_MAX);
  return shown.length === 0
    ? []
    : [
        makeElement(
          tag,
          shown.map((item) => makeElement('li', parseNodes(item))),
        ),
      ];
}

/** Builds paragraphs from a text, or parses it when it is HTML. */
function buildProse(value: unknown): TreeNode[] {
  const text = readLdText(value);
  if (text === null) return [];
  if (/<(?:p|div|br|h[1-6]|ul|ol|li)\b/i.test(text)) return parseNodes(text);
  return text
    .split(/\n+/)
    .filter((part) => part.trim() !== '')
    .map((part) => makeElement('p', parseNodes(part)));
}

const toList = (value: unknown): unknown[] =>
  (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).slice(0, ITEMS_MAX);

const joinTexts = (value: unknown): string =>
  toList(value)
    .map((one) => (typeof one === 'number' ? String(one) : (readLdText(one) ?? '')))
    .filter((text) => text !== '')
    .join(', ');
