import * as z from 'zod';

const citations = z
  .array(
    z.object({
      source: z.int().min(0).meta({ description: 'The number of the page, from 1.' }),
      url: z.string().meta({ description: 'The page.' }),
      quote: z.string().meta({ description: 'Words of the page that prove it, verbatim.' }),
      link: z.string().meta({ description: 'Opens the page at the quotation.' }),
    }),
  )
  .meta({ description: 'The quotations that prove it.' });

/** The proofs of a text that a model wrote. */
export const writtenProofs = {
  statements: z
    .array(
      z.object({
        text: z.string().meta({ description: 'One sentence.' }),
        proved: z.boolean().meta({ description: 'false only where `grounding` is marked.' }),
        citations,
      }),
    )
    .optional()
    .meta({ description: 'The statements of a written answer, with the quotations that prove them.' }),
  proofs: z
    .array(z.object({ path: z.string().meta({ description: 'The JSON pointer of the field.' }), citations }))
    .optional()
    .meta({ description: 'The quotations that prove the fields of a value, by JSON pointer.' }),
  unproved: z
    .array(
      z.object({
        path: z.string().meta({ description: 'The JSON pointer of the field.' }),
        reason: z.string().meta({ description: 'What its quotations lack.' }),
      }),
    )
    .optional()
    .meta({
      description: 'Fields that the pages do not prove, and why: null, unless `grounding` is marked.',
    }),
};

/** What became of a written text. */
export const writing = z
  .object({
    state: z.enum(['written', 'nothing', 'late', 'failed', 'busy', 'spent', 'unpaid']),
    dropped: z.int().min(0).optional().meta({ description: 'Statements or fields that failed the check.' }),
  })
  .optional()
  .meta({
    description:
      'Where the service has a model: what became of its text, and how many statements failed the check.',
  });
