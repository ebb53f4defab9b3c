import { encoderFor } from '../embeddings/encoder-for.ts';
import { cosine } from '../embeddings/static-encoder.ts';
import { linkShare } from '../passages/link-share.ts';
import { ASKED_FORMS, holdsForm } from '../query/asked-forms.ts';
import type { Question } from '../query/question.ts';
import type { Quotable } from './quotable.ts';

/** The features of a passage by its form and its meaning, in the order of the weights. */
export const FORM_FEATURES = [
  'isCode',
  'isRow',
  'isItem',
  'linked',
  'short',
  'meaning',
  'meaningBest',
  'meaningSubject',
  'forms',
  ...ASKED_FORMS.map((form) => `${form}Found` as const),
  ...ASKED_FORMS.map((form) => `${form}Missing` as const),
] as const;

/** A passage as its form is read. */
export type FormedPassage = {
  /** Plain text of the whole quotation, and of the quotable it grew out of. */
  text: string;
  best: string;
  title: string;
  /** The last heading above it, and the name that its list item is about. */
  subject: string;
  /** The quotation as Markdown. */
  markdown: string;
  kind: Quotable['kind'];
  isItem: boolean;
};

const SHORT_CHARS = 60;

/** Each roughly 0 to 1. */
export function formFeaturesOf(
  { text: query, forms }: Question,
  passage: FormedPassage,
  language: string | null,
): number[] {
  const { kind, isItem, markdown, text } = passage;
  const held = new Set(forms.filter((form) => holdsForm(markdown, form)));
  return [
    ...[kind === 'code', kind === 'row', isItem].map(Number),
    linkShare(markdown),
    Number(kind === 'sentence' && text.length < SHORT_CHARS),
    ...meanings(query, passage, language),
    Number(forms.length > 0),
    ...ASKED_FORMS.map((form) => Number(held.has(form))),
    ...ASKED_FORMS.map((form) => Number(forms.includes(form) && !held.has(form))),
  ];
}

/** Cosines of the question with the quotation, its best sentence, and its headings; 0 in languages that the vectors do not know. */
function meanings(
  question: string,
  { text, best, subject, title }: FormedPassage,
  language: string | null,
): number[] {
  const encoder = encoderFor(language);
  if (encoder === null) return [0, 0, 0];
  const [asked, ...others] = encoder.embed([question, `${subject}\n${text}`, best, `${title}\n${subject}`]);
  return others.map((other) => (asked === undefined ? 0 : cosine(asked, other)));
}
