import type { PublicSite } from './public-site.ts';

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
