import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { readProject } from './read-project.ts';

/** Reads a project of these files; each dependency as `name@version`, `*` for direct, `?` for development. */
function readFiles(files: Record<string, string>, one?: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-project-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return readProject(one === undefined ? folder : join(folder, one))
      .dependencies.map(
        ({ name, version, range, isDirect, isDev }) =>
          `${name}@${version ?? `[${range}]`}${isDirect ? '*' : ''}${isDev ? '?' : ''}`,
      )
      .sort();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PACKAGE_JSON = JSON.stringify({
  dependencies: { fastify: '^5.0.0', real: 'npm:other@^1.0.0', own: 'file:../own' },
  devDependencies: { vitest: '^2.0.0' },
});

describe('lock files of npm', () => {
  test('package-lock.json with workspaces, aliases, nested versions and links', () => {
    const lock = {
      lockfileVersion: 3,
      packages: {
        '': {
          dependencies: { fastify: '^5.0.0', real: 'npm:other@^1.0.0' },
          devDependencies: { vitest: '*' },
        },
        'packages/web': { dependencies: { fastify: '^4.0.0' } },
        'node_modules/fastify': { version: '5.1.0' },
        'packages/web/node_modules/fastify': { version: '4.9.0' },
        'node_modules/real': { name: 'other', version: '1.2.0' },
        'node_modules/vitest': { version: '2.0.1', dev: true },
        'node_modules/tiny': { version: '3.0.0', dev: true },
        'node_modules/fastify/node_modules/avvio': { version: '9.0.0' },
        'node_modules/web': { resolved: 'packages/web', link: true },
        'node_modules/away': { version: '1.0.0', resolved: 'git+ssh://git@example.org/away.git#abc' },
      },
    };
    assert.deepEqual(readFiles({ 'package-lock.json': JSON.stringify(lock), 'package.json': PACKAGE_JSON }), [
      'avvio@9.0.0',
      'fastify@4.9.0*',
      'fastify@5.1.0*',
      'other@1.2.0*',
      'tiny@3.0.0?',
      'vitest@2.0.1*?',
    ]);
  });

  test('package-lock.json of old versions', () => {
    const lock = {
      dependencies: { fastify: { version: '5.1.0', dependencies: { avvio: { version: '9.0.0' } } } },
    };
    assert.deepEqual(readFiles({ 'package-lock.json': JSON.stringify(lock), 'package.json': PACKAGE_JSON }), [
      'avvio@9.0.0',
      'fastify@5.1.0*',
    ]);
  });

  test('pnpm-lock.yaml of versions 9, 6 and 5', () => {
    const nine = `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      fastify: {specifier: ^5.0.0, version: 5.1.0}
      real: {specifier: npm:other@1, version: other@1.2.0}
      own: {specifier: workspace:*, version: link:../own}
    devDependencies:
      vitest: {specifier: ^2.0.0, version: 2.0.1(@types/node@24.0.0)}
packages:
  fastify@5.1.0: {resolution: {integrity: x}}
  '@scope/deep@1.0.0-rc.1': {resolution: {integrity: x}}
`;
    assert.deepEqual(readFiles({ 'pnpm-lock.yaml': nine }), [
      '@scope/deep@1.0.0-rc.1',
      'fastify@5.1.0*',
      'other@1.2.0*',
      'vitest@2.0.1*?',
    ]);
    const five = `lockfileVersion: 5.4
dependencies: {fastify: 5.1.0_x@1.0.0}
packages:
  /fastify/5.1.0_x@1.0.0: {dev: false}
  /@scope/deep/1.0.0: {dev: true}
`;
    assert.deepEqual(readFiles({ 'pnpm-lock.yaml': five }), ['@scope/deep@1.0.0?', 'fastify@5.1.0*']);
    const six = `importers: {.: {dependencies: {a: {specifier: '1', version: 1.0.0(b@2.0.0)}}}}
packages: {/a@1.0.0(b@2.0.0): {dev: false}, /b@2.0.0: {dev: false}}
`;
    assert.deepEqual(readFiles({ 'pnpm-lock.yaml': six }), ['a@1.0.0*', 'b@2.0.0']);
  });

  test('yarn.lock of versions 1 and 4', () => {
    const one = `# yarn lockfile v1

fastify@^5.0.0, fastify@5:
  version "5.1.0"
  resolved "https://registry.yarnpkg.com/fastify/-/fastify-5.1.0.tgz"

"real@npm:other@^1.0.0":
  version "1.2.0"

"@scope/deep@^1.0.0":
  version "1.0.1"

vitest@^2.0.0:
  version "2.0.1"
`;
    assert.deepEqual(readFiles({ 'yarn.lock': one, 'package.json': PACKAGE_JSON }), [
      '@scope/deep@1.0.1',
      'fastify@5.1.0*',
      'other@1.2.0*',
      'vitest@2.0.1*?',
    ]);
    const four = `__metadata:
  version: 8
"app@workspace:.":
  version: 0.0.0-use.local
  resolution: "app@workspace:."
  dependencies: {fastify: "npm:^5.0.0", vitest: "npm:^2.0.0"}
"fastify@npm:^5.0.0":
  version: 5.1.0
  resolution: "fastify@npm:5.1.0"
"vitest@npm:^2.0.0":
  version: 2.0.1
  resolution: "vitest@npm:2.0.1"
"deep@npm:^1.0.0":
  version: 1.0.0
  resolution: "deep@npm:1.0.0"
`;
    assert.deepEqual(readFiles({ 'yarn.lock': four, 'package.json': PACKAGE_JSON }), [
      'deep@1.0.0',
      'fastify@5.1.0*',
      'vitest@2.0.1*?',
    ]);
  });

  test('bun.lock, with commas at the ends', () => {
    const lock = `{
  "lockfileVersion": 1,
  "workspaces": { "": { "name": "app", "dependencies": { "fastify": "^5.0.0", }, "devDependencies": { "vitest": "2", }, }, },
  "packages": {
    "fastify": ["fastify@5.1.0", "", { "dependencies": { "avvio": "^9.0.0" } }, "sha512-x"],
    "vitest": ["vitest@2.0.1", "", {}, "sha512-x"],
    "fastify/avvio": ["avvio@9.0.0", "", {}, "sha512-x"],
  },
}`;
    assert.deepEqual(readFiles({ 'bun.lock': lock }), ['avvio@9.0.0', 'fastify@5.1.0*', 'vitest@2.0.1*?']);
  });

  test('package.json alone gives ranges', () => {
    assert.deepEqual(readFiles({ 'package.json': PACKAGE_JSON }), [
      'fastify@[^5.0.0]*',
      'other@[^1.0.0]*',
      'vitest@[^2.0.0]*?',
    ]);
  });
});

describe('lock files of Python', () => {
  const PYPROJECT = `[project]
dependencies = ["Django>=4.2,<5 ; python_version > '3.8'", "requests[socks]==2.31.0"]
[dependency-groups]
dev = ["pytest"]
`;
  test('requirements.txt with hashes, markers, includes and notes of what asks for a line', () => {
    const files = {
      'requirements.txt': `-r more/base.txt
django[argon2]==4.2.1 ; python_version > "3.8" \\
    --hash=sha256:aa
    # via -r requirements.in
sqlparse==0.5.0
    # via django
httpx>=0.27,<1
    # via project (pyproject.toml)
-e .
git+https://example.org/x.git
`,
      'more/base.txt': 'Flask_Login==0.6.3  # sessions\n',
      'requirements-dev.txt': 'pytest~=8.0\n',
    };
    assert.deepEqual(readFiles(files), [
      'django@4.2.1*',
      'flask-login@0.6.3*',
      'httpx@[>=0.27,<1]*',
      'pytest@[~=8.0]*?',
      'sqlparse@0.5.0',
    ]);
  });

  test('uv.lock', () => {
    const lock = `version = 1
[[package]]
name = "app"
version = "0.1.0"
source = { virtual = "." }
dependencies = [{ name = "django" }]
[package.dev-dependencies]
dev = [{ name = "pytest" }]
[[package]]
name = "django"
version = "4.2.1"
source = { registry = "https://pypi.org/simple" }
[[package]]
name = "sqlparse"
version = "0.5.0"
source = { registry = "https://pypi.org/simple" }
[[package]]
name = "pytest"
version = "8.0.0"
source = { registry = "https://pypi.org/simple" }
`;
    assert.deepEqual(readFiles({ 'uv.lock': lock }), ['django@4.2.1*', 'pytest@8.0.0*?', 'sqlparse@0.5.0']);
  });

  test('poetry.lock, with and without pyproject.toml', () => {
    const lock = `[[package]]
name = "Django"
version = "4.2.1"
[package.dependencies]
sqlparse = ">=0.3"
[[package]]
name = "sqlparse"
version = "0.5.0"
`;
    assert.deepEqual(readFiles({ 'poetry.lock': lock, 'pyproject.toml': PYPROJECT }), [
      'django@4.2.1*',
      'sqlparse@0.5.0',
    ]);
    assert.deepEqual(readFiles({ 'poetry.lock': lock }), ['django@4.2.1*', 'sqlparse@0.5.0']);
  });

  test('Pipfile.lock, and pyproject.toml of the standard and of Poetry', () => {
    const lock = {
      default: { django: { version: '==4.2.1' }, sqlparse: { version: '==0.5.0' } },
      develop: {},
    };
    const files = { 'Pipfile.lock': JSON.stringify(lock), Pipfile: '[packages]\ndjango = "*"\n' };
    assert.deepEqual(readFiles(files), ['django@4.2.1*', 'sqlparse@0.5.0']);
    assert.deepEqual(readFiles({ 'pyproject.toml': PYPROJECT }), [
      'django@[>=4.2,<5]*',
      'pytest@[null]*?',
      'requests@2.31.0*',
    ]);
    const poetry = `[tool.poetry.dependencies]
python = "^3.11"
django = "^4.2"
own = {path = "../own"}
[tool.poetry.group.dev.dependencies]
pytest = "~8.0.1"
`;
    assert.deepEqual(readFiles({ 'pyproject.toml': poetry }), [
      'django@[>=4.2,<5]*',
      'pytest@[>=8.0.1,<8.1]*?',
    ]);
  });
});

describe('lock files of other ecosystems', () => {
  test('Cargo.lock with Cargo.toml, and the latter alone', () => {
    const lock = `version = 4
[[package]]
name = "app"
version = "0.1.0"
dependencies = ["serde", "rand 0.8.5"]
[[package]]
name = "serde"
version = "1.0.210"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "rand"
version = "0.8.5"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "rand"
version = "0.7.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
`;
    const manifest =
      '[dependencies]\nserde = { version = "1", features = ["derive"] }\n[dev-dependencies]\nrand = "0.8"\n';
    assert.deepEqual(readFiles({ 'Cargo.lock': lock, 'Cargo.toml': manifest }), [
      'rand@0.7.0',
      'rand@0.8.5*?',
      'serde@1.0.210*',
    ]);
    assert.deepEqual(readFiles({ 'Cargo.toml': manifest }), ['rand@[0.8]*?', 'serde@[1]*']);
  });

  test('go.mod with blocks, indirect and replaced modules; go.sum points to it', () => {
    const files = {
      'go.mod': `module example.org/app
go 1.22
require (
	golang.org/x/net v0.30.0
	github.com/old/gone v1.0.0 // indirect
	example.org/own v1.0.0
)
require github.com/a/b v1.2.3
replace github.com/a/b => github.com/fork/b v1.2.4
replace example.org/own => ../own
`,
      'go.sum': '',
    };
    const expected = ['github.com/fork/b@v1.2.4*', 'github.com/old/gone@v1.0.0', 'golang.org/x/net@v0.30.0*'];
    assert.deepEqual(readFiles(files), expected);
    assert.deepEqual(readFiles(files, 'go.sum'), expected);
  });

  test('pom.xml with properties, managed versions and scopes', () => {
    const pom = `<project><groupId>g</groupId><version>2.0</version>
<properties><gson.version>2.11.0</gson.version></properties>
<dependencyManagement><dependencies><dependency><groupId>m</groupId><artifactId>a</artifactId><version>1.1</version></dependency></dependencies></dependencyManagement>
<dependencies>
 <dependency><groupId>com.google.code.gson</groupId><artifactId>gson</artifactId><version>\${gson.version}</version></dependency>
 <dependency><groupId>m</groupId><artifactId>a</artifactId></dependency>
 <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency>
 <dependency><groupId>p</groupId><artifactId>open</artifactId></dependency>
</dependencies></project>`;
    assert.deepEqual(readFiles({ 'pom.xml': pom }), [
      'com.google.code.gson:gson@2.11.0*',
      'junit:junit@4.13.2*?',
      'm:a@1.1*',
      'p:open@[null]*',
    ]);
  });

  test('gradle.lockfile with its build file', () => {
    const files = {
      'gradle.lockfile': `# comment
com.google.code.gson:gson:2.11.0=compileClasspath,runtimeClasspath
org.slf4j:slf4j-api:2.0.0=runtimeClasspath
junit:junit:4.13.2=testCompileClasspath
empty=annotationProcessor
`,
      'build.gradle.kts':
        'implementation("com.google.code.gson:gson:2.11.0")\ntestImplementation("junit:junit:4.13.2")',
    };
    assert.deepEqual(readFiles(files), [
      'com.google.code.gson:gson@2.11.0*',
      'junit:junit@4.13.2*?',
      'org.slf4j:slf4j-api@2.0.0',
    ]);
  });

  test('composer.lock, Gemfile.lock and pubspec.lock', () => {
    const composer = {
      packages: [
        { name: 'monolog/monolog', version: 'v3.5.0' },
        { name: 'psr/log', version: '3.0.0' },
      ],
      'packages-dev': [{ name: 'phpunit/phpunit', version: '11.0.0' }],
    };
    const files = {
      'composer.lock': JSON.stringify(composer),
      'composer.json': '{"require": {"monolog/monolog": "^3"}, "require-dev": {"phpunit/phpunit": "*"}}',
      'Gemfile.lock': `GEM
  remote: https://rubygems.org/
  specs:
    nokogiri (1.16.0-x86_64-linux)
      racc (~> 1.4)
    racc (1.7.3)
    rspec (3.13.0)

PLATFORMS
  ruby

DEPENDENCIES
  nokogiri
  rspec (~> 3.0)
`,
      Gemfile: 'gem "nokogiri"\ngroup :test do\n  gem "rspec"\nend\n',
      'pubspec.lock': `packages:
  http: {dependency: "direct main", source: hosted, version: "1.2.0"}
  path: {dependency: transitive, source: hosted, version: "1.9.0"}
  own: {dependency: "direct main", source: path, version: "1.0.0"}
`,
    };
    assert.deepEqual(readFiles(files), [
      'http@1.2.0*',
      'monolog/monolog@3.5.0*',
      'nokogiri@1.16.0*',
      'path@1.9.0',
      'phpunit/phpunit@11.0.0*?',
      'psr/log@3.0.0',
      'racc@1.7.3',
      'rspec@3.13.0*?',
    ]);
  });
});

test('a damaged lock file is named', () => {
  assert.throws(() => readFiles({ 'package-lock.json': '{' }), /package-lock\.json: /);
  assert.throws(() => readFiles({ 'notes.txt': '' }), /has no lock file that is known/);
});

test('a file beside it is not read through a link out of the folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-project-'));
  writeFileSync(join(folder, 'secret.txt'), 'secret==1.0\n');
  mkdirSync(join(folder, 'app'));
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'app', 'linked.txt'));
  writeFileSync(join(folder, 'app', 'requirements.txt'), '-r linked.txt\n-r ../secret.txt\nflask==3.0.0\n');
  const { dependencies } = readProject(join(folder, 'app'));
  rmSync(folder, { recursive: true });
  assert.deepEqual(
    dependencies.map(({ name }) => name),
    ['flask'],
  );
});
