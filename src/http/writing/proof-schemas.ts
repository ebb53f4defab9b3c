import * as z from 'zod';

const citations = z.array(
  z.object({
    source: z.int().min(0).meta({ description: 'The number of the page, from 1.' }),
    url: z.string(),
    quote: z.string(),
    link: z.string().meta({ description: 'Opens the page at the quotation.' }),
  }),
);

/** The proofs of a text that a model wrote. */
export const writtenProofs = {
  statements: z
    .array(z.object({ text: z.string(), proved: z.boolean(), citations }))
    .optional()
    .meta({ description: 'The statements of a written answer, with the quotations that prove them.' }),
  proofs: z
    .array(z.object({ path: z.string(), citations }))
    .optional()
    .meta({ description: 'The quotations that prove the fields of a value, by JSON pointer.' }),
  unproved: z
    .array(z.object({ path: z.string(), reason: z.string() }))
    .optional()
    .meta({
      description: 'Fields that the pages do not prove, and why: null, unless `grounding` is marked.',
    }),
};

/** What became of a written text. */
export const writing = z
  .object({
    state: z.enum(['written', 'nothing', 'late', 'failed', 'busy', 'spent', 'credits']),
    dropped: z.int().min(0).optional(),
  })
  .optional()
  .meta({
    description:
      'Where the service has a model: what became of its text, and how many statements failed the check.',
  });
