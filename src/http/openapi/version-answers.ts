import * as z from 'zod';

/** The answers about earlier versions of pages. */

const requestId = z.string().meta({ description: 'Identifies this call in the service log.' });
const whole = z.int().min(0);
const instant = z.string().meta({ description: 'ISO 8601, in UTC.' });

const versionFields = {
  number: z.int().min(1).meta({ description: '1, 2, 3 ... within the page.' }),
  title: z.string().meta({ description: 'The title of the page at that time.' }),
  status: z
    .enum(['present', 'gone'])
    .meta({ description: 'gone: the address answered that there is no page.' }),
  firstSeen: instant,
  lastSeen: instant,
  visits: whole.meta({ description: 'At how many visits it was seen.' }),
  contentHash: z.string().meta({ description: 'The hash of its text, as in citations.' }),
  characters: whole.meta({ description: 'The length of its text.' }),
};

/** GET /v1/versions. */
export const VersionsBody = z
  .object({
    requestId,
    url: z.string().meta({ description: 'The page.' }),
    versions: z
      .array(z.object({ ...versionFields, link: z.string().meta({ description: 'Reads the version.' }) }))
      .meta({ description: 'The newest first, at most 1,000.' }),
  })
  .meta({ title: 'PageVersions' });

const passage = (description: string) =>
  z
    .object({
      quote: z.string().meta({ description: 'The Markdown of the block.' }),
      start: whole.meta({ description: 'Where it begins in the Markdown of that version.' }),
      end: whole.meta({ description: 'Where it ends.' }),
    })
    .nullable()
    .meta({ description });

/** A difference between two versions of a page. */
const PageChange = z.object({
  kind: z.enum(['added', 'removed', 'changed', 'moved']),
  block: z
    .enum(['heading', 'text', 'item', 'row', 'code'])
    .meta({ description: 'The kind of block: an item of a list, a row of a table, and so on.' }),
  headingPath: z.array(z.string()).meta({ description: 'The headings above it.' }),
  before: passage('The block in the earlier version; null if it was added.'),
  after: passage('The block in the later version; null if it was removed.'),
  words: z
    .array(z.object({ kind: z.enum(['same', 'removed', 'added']), text: z.string() }))
    .nullable()
    .meta({ description: 'The words of a changed block; null for others.' }),
  noise: z
    .enum(['date', 'counter', 'advert', 'order', 'related', 'address', 'markup', 'recurring'])
    .nullable()
    .meta({ description: 'Why the change says nothing new; null if it does.' }),
});

/** GET /v1/versions/changes. */
export const VersionChangesBody = z
  .object({
    requestId,
    url: z.string().meta({ description: 'The page.' }),
    from: z.object(versionFields).meta({ description: 'The earlier version.' }),
    to: z.object(versionFields).meta({ description: 'The later version.' }),
    changed: z.boolean().meta({ description: 'Whether anything but noise differs.' }),
    changedShare: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'Share of the text that lies in changes which are not noise.' }),
    changes: z
      .array(PageChange)
      .meta({ description: 'All differences, noise included, in the order of the page.' }),
  })
  .meta({ title: 'VersionChanges' });
