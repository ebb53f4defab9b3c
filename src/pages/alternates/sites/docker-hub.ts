import type { PublicSite } from './public-site.ts';

export const dockerHub: PublicSite = {
  name: 'docker-hub',
  about: 'https://docs.docker.com/reference/api/hub/latest/',
  when: 'first',
  page: /^https:\/\/hub\.docker\.com\/r\/([\w-]+\/[\w.-]+)\/?(?:[?#].*)?$/,
  answers: ['https://hub.docker.com/v2/repositories/$1/'],
  title: '0.name',
  author: '0.user|0.namespace',
  published: '0.last_updated',
  description: '0.description',
  site: 'Docker Hub',
  parts: [
    { text: '0.description' },
    {
      facts: [
        ['Pulls', '0.pull_count'],
        ['Stars', '0.star_count'],
      ],
    },
    { markdown: '0.full_description' },
  ],
};
