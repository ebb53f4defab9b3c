import type { PublicSite } from './public-site.ts';

export const npm: PublicSite = {
  name: 'npm',
  about: 'https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md',
  when: 'first',
  page: /^https:\/\/(?:www\.)?npmjs\.com\/package\/((?:@[\w.~-]+\/)?[\w.~-]+)\/?(?:[?#].*)?$/,
  answers: ['https://registry.npmjs.org/$1/latest', 'https://unpkg.com/$1/README.md'],
  title: '0.name',
  author: '0.author.name|0.author',
  description: '0.description',
  site: 'npm',
  parts: [
    { text: '0.description' },
    {
      facts: [
        ['Version', '0.version'],
        ['Licence', '0.license'],
        ['Homepage', '0.homepage'],
        ['Repository', '0.repository.url|0.repository'],
        ['Keywords', '0.keywords'],
        ['Maintainers', '0.maintainers'],
      ],
    },
    { markdown: '1' },
  ],
};
