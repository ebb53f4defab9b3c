import { BOT_CHECK, type Recording } from './recording.ts';

/** What registries of packages and images answer. */
export const PACKAGE_RECORDINGS: Record<string, Recording> = {
  npm: {
    page: 'https://www.npmjs.com/package/@tide/tables',
    answers: {
      'https://registry.npmjs.org/@tide/tables/latest': {
        body: {
          name: '@tide/tables',
          version: '2.1.0',
          description: 'Predicts tides from harmonic constants.',
          keywords: ['tides', 'ocean'],
          author: { name: 'Ada Marsh', email: 'ada@example.org' },
          license: 'MIT',
          repository: { type: 'git', url: 'git+https://github.com/tide/tables.git' },
          dist: { tarball: 'https://registry.npmjs.org/@tide/tables/-/tables-2.1.0.tgz' },
        },
      },
      'https://unpkg.com/@tide/tables/README.md': {
        type: 'text/markdown',
        body: '# Tables\n\nSee [the guide](docs/guide.md).\n\n```js\npredict( 1,2 )\n```\n',
      },
    },
    title: '@tide/tables',
    author: 'Ada Marsh',
    published: null,
    lines: [
      '# @tide/tables',
      'Predicts tides from harmonic constants.',
      '- Version: 2.1.0',
      '- Keywords: tides, ocean',
      '[the guide](https://unpkg.com/@tide/tables/docs/guide.md)',
      '```js\npredict( 1,2 )\n```',
    ],
  },
  'crates.io': {
    page: 'https://crates.io/crates/tidal',
    answers: {
      'https://crates.io/api/v1/crates/tidal': {
        body: {
          crate: {
            id: 'tidal',
            name: 'tidal',
            max_version: '0.4.2',
            downloads: 81234,
            updated_at: '2024-03-09T10:11:12.000000Z',
            description: 'Tide tables in Rust.',
            repository: 'https://github.com/marsh/tidal',
            keywords: ['tide'],
          },
          versions: [{ num: '0.4.2', license: 'MIT OR Apache-2.0', published_by: { name: 'Ada Marsh' } }],
        },
      },
      'https://crates.io/api/v1/crates/tidal/0.4.2/readme': {
        type: 'text/html',
        body: '<h1>tidal</h1><p>Add <code>tidal</code> to your manifest.</p><script>alert(1)</script>',
      },
    },
    title: 'tidal',
    author: 'Ada Marsh',
    published: '2024-03-09',
    lines: ['# tidal', 'Tide tables in Rust.', '- Downloads: 81234', 'Add `tidal` to your manifest.'],
  },
  pypi: {
    page: 'https://pypi.org/project/tides/',
    own: { status: 403, body: BOT_CHECK },
    answers: {
      'https://pypi.org/pypi/tides/json': {
        body: {
          info: {
            name: 'tides',
            version: '1.2',
            summary: 'Tide predictions',
            author: 'Ada Marsh',
            requires_python: '>=3.9',
            license: 'BSD-3-Clause',
            description_content_type: 'text/markdown',
            description:
              '# tides\n\n<p align="center"><img src="logo.png" alt="A wave"></p>\n\nPredict *tides*.',
            project_urls: { Homepage: 'https://tides.example.org/' },
          },
          urls: [{ upload_time_iso_8601: '2023-11-05T08:00:00.000000Z' }],
        },
      },
    },
    title: 'tides',
    author: 'Ada Marsh',
    published: '2023-11-05',
    lines: ['# tides', 'Tide predictions', '- Requires Python: >=3.9', 'Predict *tides*.'],
  },
  'docker-hub': {
    page: 'https://hub.docker.com/r/marsh/tides',
    answers: {
      'https://hub.docker.com/v2/repositories/marsh/tides/': {
        body: {
          user: 'marsh',
          name: 'tides',
          namespace: 'marsh',
          description: 'A tide server',
          pull_count: 5000,
          star_count: 7,
          last_updated: '2024-02-01T00:00:00.000000Z',
          full_description: '## Usage\n\n`docker run marsh/tides`',
        },
      },
    },
    title: 'tides',
    author: 'marsh',
    published: '2024-02-01',
    lines: ['A tide server', '- Pulls: 5000', '## Usage', '`docker run marsh/tides`'],
  },
};
