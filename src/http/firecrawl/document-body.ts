import * as z from 'zod';

const texts = z.array(z.string());

/** The schema of a page wherever this shape returns one. */
export const FirecrawlDocument = z
  .object({
    markdown: z.string().optional(),
    html: z.string().optional().meta({ description: 'Without scripts and styles; addresses are absolute.' }),
    rawHtml: z.string().optional().meta({ description: 'The source.' }),
    screenshot: z.string().optional().meta({ description: 'A PNG as a `data:` address.' }),
    links: texts.optional(),
    images: texts.optional(),
    attributes: z.array(z.object({ selector: z.string(), attribute: z.string(), values: texts })).optional(),
    summary: z.string().optional().meta({ description: 'Sentences of the page, verbatim.' }),
    highlights: z.string().optional().meta({ description: 'Passages of the page, verbatim.' }),
    json: z.unknown().optional().meta({ description: 'The values of a schema with selectors.' }),
    warning: z.string().optional().meta({ description: 'Why a format is missing.' }),
    metadata: z
      .looseObject({
        title: z.string(),
        description: z.string().optional(),
        language: z.string().optional(),
        sourceURL: z.string().meta({ description: 'As requested.' }),
        url: z.string().meta({ description: 'Where the text was read.' }),
        statusCode: z.int(),
        scrapeId: z.string(),
        cacheState: z.enum(['hit', 'miss']),
        cachedAt: z.string().optional(),
      })
      .meta({
        description:
          'Also every `meta` of the page by its name, and the usual ones as `ogTitle`, `keywords` ...',
      }),
  })
  .meta({ title: 'FirecrawlDocument' });
