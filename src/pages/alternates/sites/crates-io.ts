import type { PublicSite } from './public-site.ts';

export const cratesIo: PublicSite = {
  name: 'crates.io',
  about: 'https://crates.io/data-access',
  when: 'first',
  page: /^https:\/\/crates\.io\/crates\/([\w-]+)\/?(?:[?#].*)?$/,
  answers: [
    'https://crates.io/api/v1/crates/$1',
    'https://crates.io/api/v1/crates/$1/{0.crate.max_version}/readme',
  ],
  title: '0.crate.name',
  author: '0.versions.0.published_by.name',
  published: '0.crate.updated_at',
  description: '0.crate.description',
  site: 'crates.io',
  parts: [
    { text: '0.crate.description' },
    {
      facts: [
        ['Version', '0.crate.max_version'],
        ['Licence', '0.versions.0.license'],
        ['Documentation', '0.crate.documentation'],
        ['Repository', '0.crate.repository'],
        ['Downloads', '0.crate.downloads'],
        ['Keywords', '0.crate.keywords'],
      ],
    },
    { html: '1' },
  ],
};
