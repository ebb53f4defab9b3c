import type { PublicSite } from './public-site.ts';

const ANSWERS = 'https://api.stackexchange.com/2.3/questions/$2';

export const stackExchange: PublicSite = {
  name: 'stack-exchange',
  about: 'https://api.stackexchange.com/docs',
  when: 'instead',
  page: /^https:\/\/((?:\w+\.stackexchange|stackoverflow|superuser|serverfault|askubuntu|mathoverflow|stackapps|\w+\.stackoverflow)\.(?:com|net))\/(?:questions|q)\/(\d+)(?:[/?#].*)?$/,
  answers: [
    `${ANSWERS}?site=$1&filter=withbody`,
    `${ANSWERS}/answers?site=$1&filter=withbody&order=desc&sort=votes&pagesize=30`,
  ],
  title: '0.items.0.title',
  author: '0.items.0.owner.display_name',
  published: '0.items.0.creation_date',
  parts: [
    {
      facts: [
        ['Tags', '0.items.0.tags'],
        ['Score', '0.items.0.score'],
      ],
    },
    { html: '0.items.0.body' },
    {
      each: '1.items',
      by: 'owner.display_name',
      at: 'creation_date',
      heading: 'Answers',
      parts: [{ html: 'body' }],
    },
  ],
};
