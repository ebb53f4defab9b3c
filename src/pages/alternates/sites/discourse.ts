import type { PublicSite } from './public-site.ts';

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
