import type { PublicSite } from './public-site.ts';

/** Servers on any host, recognised by the form of their addresses. */
export const mastodon: PublicSite = {
  name: 'mastodon',
  about: 'https://docs.joinmastodon.org/methods/statuses/',
  when: 'instead',
  page: /^(https:\/\/[^/]+)\/@[\w.@-]+\/(\d{10,20})\/?(?:[?#].*)?$/,
  answers: ['$1/api/v1/statuses/$2', '$1/api/v1/statuses/$2/context'],
  title: '0.account.display_name|0.account.acct',
  author: '0.account.display_name|0.account.acct',
  published: '0.created_at',
  language: '0.language',
  image: '0.media_attachments.0.preview_url',
  parts: [
    { html: '0.content' },
    { facts: [['Link', '0.card.url']] },
    {
      each: '1.descendants',
      by: 'account.display_name|account.acct',
      at: 'created_at',
      heading: 'Replies',
      parts: [{ html: 'content' }],
    },
  ],
};
