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
