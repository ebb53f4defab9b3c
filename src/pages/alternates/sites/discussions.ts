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

const QUESTION = 'https://api.stackexchange.com/2.3/questions/$2';

export const stackExchange: PublicSite = {
  name: 'stack-exchange',
  about: 'https://api.stackexchange.com/docs',
  when: 'instead',
  page: /^https:\/\/((?:\w+\.stackexchange|stackoverflow|superuser|serverfault|askubuntu|mathoverflow|stackapps|\w+\.stackoverflow)\.(?:com|net))\/(?:questions|q)\/(\d+)(?:[/?#].*)?$/,
  answers: [
    `${QUESTION}?site=$1&filter=withbody`,
    `${QUESTION}/answers?site=$1&filter=withbody&order=desc&sort=votes&pagesize=30`,
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

/** Forums on any host, recognised by the form of their addresses. */
export const discourse: PublicSite = {
  name: 'discourse',
  about: 'https://docs.discourse.org/',
  when: 'instead',
  page: /^(https?:\/\/[^/]+)\/t\/[\w%-]+\/(\d+)(?:[/?#].*)?$/,
  answers: ['$1/t/$2.json'],
  title: '0.title',
  author: '0.details.created_by.name|0.details.created_by.username',
  published: '0.created_at',
  parts: [
    { facts: [['Tags', '0.tags']] },
    { each: '0.post_stream.posts', by: 'name|username', at: 'created_at', parts: [{ html: 'cooked' }] },
  ],
};

export const gitHubIssues: PublicSite = {
  name: 'github-issues',
  about: 'https://docs.github.com/rest/issues',
  when: 'instead',
  page: /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\/(?:issues|pull)\/(\d+)\/?(?:[?#].*)?$/,
  answers: [
    'https://api.github.com/repos/$1/issues/$2',
    'https://api.github.com/repos/$1/issues/$2/comments?per_page=100',
  ],
  title: '0.title',
  author: '0.user.login',
  published: '0.created_at',
  site: 'GitHub',
  parts: [
    {
      facts: [
        ['State', '0.state'],
        ['Labels', '0.labels'],
      ],
    },
    { markdown: '0.body' },
    { each: '1', by: 'user.login', at: 'created_at', heading: 'Comments', parts: [{ markdown: 'body' }] },
  ],
};
