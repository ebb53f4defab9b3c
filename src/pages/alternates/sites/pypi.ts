import type { PublicSite } from './public-site.ts';

export const pypi: PublicSite = {
  name: 'pypi',
  about: 'https://docs.pypi.org/api/json/',
  when: 'instead',
  page: /^https:\/\/pypi\.org\/project\/([\w.-]+)\/?(?:[?#].*)?$/,
  answers: ['https://pypi.org/pypi/$1/json'],
  title: '0.info.name',
  author: '0.info.author|0.info.maintainer',
  published: '0.urls.0.upload_time_iso_8601',
  description: '0.info.summary',
  site: 'PyPI',
  parts: [
    { text: '0.info.summary' },
    {
      facts: [
        ['Version', '0.info.version'],
        ['Licence', '0.info.license_expression|0.info.license'],
        ['Requires Python', '0.info.requires_python'],
        ['Homepage', '0.info.project_urls.Homepage|0.info.home_page'],
        ['Source', '0.info.project_urls.Source|0.info.project_urls.Repository'],
        ['Documentation', '0.info.project_urls.Documentation'],
      ],
    },
    { markdown: '0.info.description' },
  ],
};
