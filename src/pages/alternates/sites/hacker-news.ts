import type { PublicSite } from './public-site.ts';

export const hackerNews: PublicSite = {
  name: 'hacker-news',
  about: 'https://hn.algolia.com/api',
  when: 'instead',
  page: /^https:\/\/news\.ycombinator\.com\/item\?id=(\d+)(?:[&#].*)?$/,
  answers: ['https://hn.algolia.com/api/v1/items/$1'],
  title: '0.title',
  author: '0.author',
  published: '0.created_at',
  site: 'Hacker News',
  parts: [
    {
      facts: [
        ['Link', '0.url'],
        ['Points', '0.points'],
      ],
    },
    { html: '0.text' },
    {
      each: '0.children',
      by: 'author',
      at: 'created_at',
      replies: 'children',
      heading: 'Comments',
      parts: [{ html: 'text' }],
    },
  ],
};
