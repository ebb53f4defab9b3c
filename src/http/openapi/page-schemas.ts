import * as z from 'zod';
import { writtenProofs } from '../writing/proof-schemas.ts';

/** Schemas of the parts of a page, which several responses of the first shape share. */

const whole = z.int().min(0);
/** A score from 0 to 1. */
export const score = z.number().min(0).max(1);

const urlOfPage = z.string().meta({ description: 'The URL of the page.' });
/** The text of a page, as requested. */
export const parts = {
  text: z.string().optional().meta({ description: 'The page as Markdown; only when requested.' }),
  highlights: z
    .array(z.string())
    .optional()
    .meta({ description: 'Markdown passages of 400 to 700 characters, best first; only when requested.' }),
  highlightScores: z.array(score).optional().meta({ description: 'One score per highlight.' }),
  prunedContext: z
    .string()
    .optional()
    .meta({ description: 'The parts of the page relevant to the query; only when requested.' }),
};

const urlList = z.array(z.string());

/** Metadata that an opened page states about itself. Fields are absent if it states none, or if the page was not opened. */
const aboutPage = {
  author: z.string().optional(),
  image: z.string().optional().meta({ description: 'The picture that the page declares.' }),
  favicon: z.string().optional().meta({ description: 'The icon that the page declares.' }),
};

/** Optional parts of a page besides its text. */
export const extraParts = {
  ...aboutPage,
  summary: z.string().optional().meta({
    description:
      'Sentences of the page, verbatim; only when requested. Where the service has a model and `query` or `schema` is given: what it wrote, as text or as JSON.',
  }),
  summaryStatements: writtenProofs.statements,
  summaryProofs: writtenProofs.proofs,
  summaryUnproved: writtenProofs.unproved,
  extras: z
    .looseObject({ links: urlList.optional(), imageLinks: urlList.optional() })
    .optional()
    .meta({ description: 'Links and pictures of the page; only when requested.' }),
  subpages: z
    .array(z.looseObject({ id: z.string(), url: urlOfPage, title: z.string(), ...aboutPage, ...parts }))
    .optional()
    .meta({ description: 'Pages of the same site that the page links to; only when requested.' }),
};

/** The joined contents of all results. */
export const context = z
  .string()
  .optional()
  .meta({ description: 'The contents of all results as one text; only when requested.' });

/** The position of a quotation in its page. */
export const place = {
  start: whole
    .nullable()
    .meta({ description: "Start offset in the page's Markdown; null when the quotation is not found." }),
  end: whole.nullable(),
  headingPath: z
    .array(z.string())
    .nullable()
    .meta({ description: 'The headings above the quotation, outermost first.' }),
  link: z.string().nullable().meta({ description: 'Opens the page at the quotation (a text fragment).' }),
};
/** The hash that identifies a page's text. */
export const contentHash = z.string().meta({ description: "SHA-256 of the page's Markdown." });
/** The citations of the parts. */
export const proofs = {
  highlightProofs: z
    .array(z.looseObject(place))
    .optional()
    .meta({ description: 'Where each highlight is on the page; absent if the page was not opened.' }),
  prunedProofs: z.array(z.looseObject(place)).optional().meta({
    description: 'Where each passage of `prunedContext` is on the page; absent if the page was not opened.',
  }),
  contentHash: contentHash.optional(),
};

export const weak = z.literal(true).optional().meta({
  description:
    'The result is unlikely to be relevant. Weak results come last; absent: the result is not weak.',
});

/** In the answer of every call that can be recorded. */
export const recordId = z
  .string()
  .optional()
  .meta({ description: 'Names the record of this call; only with `record`.' });
