import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { composeLibraries } from '../../src/app/compose-libraries.ts';
import { createReferenceMaker, type MakeReference } from '../../src/libraries/api/reference-maker.ts';
import type { AddChoice, LibrariesSummary } from '../../src/libraries/libraries.ts';
import { packedTarOf, tarOf } from '../fixtures/tar.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { zipOf } from '../fixtures/zip.ts';
import { serveReal } from '../harness.ts';

const DIRECT: AddChoice = { all: false, dev: false, only: [], skip: [], keyIds: [] };
const TEXT = 'The sanderling runs along the edge of the waves all day long, and eats what they leave behind.';
const GUIDE = '# Wading\n\nThe sanderling runs along the edge of the waves all day long.\n';

type Answer = (headers: Record<string, unknown>, response: ServerResponse) => void;

/** A registry of every ecosystem on loopback: what each path answers. */
const answers = new Map<string, string | Buffer | Uint8Array | Answer>();

describe('the documentation of libraries', () => {
  let served: Awaited<ReturnType<typeof serveReal>>;
  let web: FakeWeb;
  let folder: string;
  let libraries: ReturnType<typeof composeLibraries>;

  before(async () => {
    served = await serveReal({ FETCH_ALLOW_PRIVATE: '127.0.0.0/8' });
    web = await startWeb({
      fallback: ({ url = '', headers }, response) => {
        const answer = answers.get(url);
        if (typeof answer === 'function') answer(headers, response);
        else if (answer === undefined) response.writeHead(404).end();
        else response.writeHead(200, { 'content-type': typeOf(url) }).end(answer);
      },
    });
  });
  after(async () => {
    await served.close();
    await web.close();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sanderling-libraries-'));
    const ecosystems = ['npm', 'pypi', 'crates', 'go', 'maven', 'gem', 'composer', 'pub'];
    libraries = composeLibraries(served.services, {
      // The settings of this machine's clients are not read.
      env: { HOME: folder },
      folder,
      registries: ecosystems.map(
        (name) => `${name}=${web.origin}/${name}${name === 'pypi' ? '/simple' : ''}`,
      ),
      trustedHosts: [],
      makeReference: null,
    });
  });
  afterEach(async () => {
    const projects = new Set((await libraries.list()).flatMap((held) => held.projects));
    if (projects.size > 0) await libraries.remove([...projects], options());
    const named = (await libraries.list()).map(({ name }) => name);
    if (named.length > 0) await libraries.remove(named, options());
    await libraries.close();
    answers.clear();
    rmSync(folder, { recursive: true, force: true });
  });

  const options = (signal = new AbortController().signal) => ({ signal, onEvent: () => {} });
  const add = (...what: string[]): Promise<LibrariesSummary> => libraries.add(what, DIRECT, options());
  const titlesOf = async (name: string): Promise<string[]> =>
    (await libraries.show(name)).flatMap(({ pages }) =>
      pages.map(({ kind, source, title }) => `${kind} ${source} ${title}`),
    );
  const indexed = async (url: string): Promise<boolean> => (await served.services.index.get(url)) !== null;

  /** Publishes a package of npm on the registry. */
  function publish(name: string, version: string, files: Record<string, string> | Buffer, more = {}): void {
    const tarball = `/npm/-/${name}-${version}.tgz`;
    const manifest = { name, version, license: 'MIT', ...more, dist: { tarball: web.origin + tarball } };
    answers.set(`/npm/${name}/${version}`, JSON.stringify(manifest));
    answers.set(
      `/npm/${name}`,
      JSON.stringify({ 'dist-tags': { latest: version }, versions: { [version]: {} } }),
    );
    const inFolder = (all: Record<string, string>) =>
      Object.fromEntries(Object.entries(all).map(([path, text]) => [`package/${path}`, text]));
    answers.set(tarball, Buffer.isBuffer(files) ? files : packedTarOf(inFolder(files)));
  }

  function writeLock(versions: Record<string, string>, name = 'app'): string {
    const project = join(folder, name);
    mkdirSync(project, { recursive: true });
    const packages = Object.fromEntries(
      Object.entries(versions).map(([of, version]) => [`node_modules/${of}`, { version }]),
    );
    const lock = { packages: { '': { dependencies: versions }, ...packages } };
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lock));
    return project;
  }

  test('a project: each direct dependency at its version, with the kind and the source of each page', async () => {
    publish('wader', '1.2.0', {
      'README.md': '# Wader\n\nReads about birds that wade through shallow water.',
      'docs/guide.md': GUIDE,
      'docs/api.md': '# Options\n\nEvery option of the wader, with its default value.',
      'CHANGELOG.md': '# 1.2.0\n\nThe wader now walks backwards when it has to.',
      'examples/walk.js': "import { walk } from 'wader';\n\nwalk({ along: 'the edge of the waves' });\n",
      'src/index.js': 'export const walk = () => {};',
      'docs/html/rendered.html': `<title>Rendered</title><main><h1>Rendered</h1><p>${GUIDE}</p></main>`,
      'docs/html/rendered.rst': 'Rendered\n========\n\nThe source of the rendered page, which says less.\n',
      'test/notes.md': '# Notes\n\nNotes for the tests of this package, not for its users.',
    });
    const project = writeLock({ wader: '1.2.0' });
    const { outcomes, problems } = await add(project);
    assert.deepEqual([problems, outcomes[0]?.problem, outcomes[0]?.fetched?.licence], [[], null, 'MIT']);
    assert.deepEqual((await titlesOf('wader')).sort(), [
      'changelog package wader changelog',
      'example package wader examples/walk.js',
      'guide package Rendered',
      'guide package Wading',
      'guide package wader README',
      'reference package Options',
    ]);
    const [held] = await libraries.list();
    assert.deepEqual([held?.state, held?.pages, held?.projects, held?.is_private], ['held', 6, [project], 1]);
    const { url = '' } = (await libraries.show('npm:wader@1.2.0'))[0]?.pages[0] ?? {};
    const page = await served.services.index.get(url);
    assert.deepEqual(page?.origin, { source: 'npm:wader@1.2.0', licence: 'MIT' });
  });

  test('a second sync without changes asks nobody', async () => {
    publish('wader', '1.2.0', { 'README.md': GUIDE });
    await add(writeLock({ wader: '1.2.0' }));
    const before = web.hits();
    const { unchanged, outcomes } = await libraries.sync([], options());
    assert.deepEqual([unchanged, outcomes.length, web.hits() - before], [1, 0, 0]);
  });

  describe('without a network', () => {
    const offline = () =>
      composeLibraries(served.services, {
        env: { HOME: folder },
        folder,
        registries: [`npm=${web.origin}/npm`],
        trustedHosts: [],
        makeReference: null,
        isOffline: true,
      });

    test('one file brings libraries with their pages, and projects find them', async () => {
      publish('wader', '1.2.0', { 'README.md': GUIDE, 'docs/more.md': `# More\n\n${TEXT}` });
      publish('gull', '2.0.0', { 'README.md': `${GUIDE}\ngull` });
      await add(writeLock({ wader: '1.2.0', gull: '2.0.0' }));
      const describeAll = async (): Promise<unknown[]> => {
        const shown = await Promise.all(['gull', 'wader'].map((name) => libraries.show(name)));
        return Promise.all(
          shown.flat().map(async ({ library, pages }) => ({
            version: library.version,
            licence: library.licence,
            isPrivate: library.is_private,
            kinds: library.kinds,
            pages: await Promise.all(
              pages.map(async ({ pageUrl, ...page }) => [
                page,
                (await served.services.index.get(pageUrl))?.markdown,
              ]),
            ),
          })),
        );
      };
      const before = await describeAll();
      const file = join(folder, 'docs.jsonl.gz');
      assert.deepEqual(await libraries.exportTo(file, []), { libraries: 2, pages: 3 });
      await libraries.remove([join(folder, 'app')], options());
      assert.equal((await libraries.list()).length, 0);

      const hits = web.hits();
      const away = offline();
      assert.deepEqual(await away.importFrom(file, options()), { libraries: 2, pages: 3 });
      assert.deepEqual(await describeAll(), before);
      const project = writeLock({ wader: '1.2.0', tern: '1.0.0' });
      const { problems, unchanged } = await away.add([project], DIRECT, options());
      assert.deepEqual(problems, ['npm:tern@1.0.0: is not held, and nobody is asked offline']);
      assert.equal(unchanged, 2);
      assert.deepEqual((await away.show('wader'))[0]?.library.projects, [project]);
      assert.match((await away.add(['npm:tern'], DIRECT, options())).problems.join(), /is not held/);
      assert.deepEqual((await away.add(['npm:wader@^1'], DIRECT, options())).outcomes, []);
      await away.update(['wader'], options());
      assert.equal((await away.show('wader'))[0]?.library.state, 'held');
      await away.close();
      assert.equal(web.hits(), hits, 'nobody was asked');
    });

    test('a file that was not exported is refused', async () => {
      const away = offline();
      for (const text of ['{"library":{}}', 'no lines', '{"url":"https://a.example/","kind":"guide"}', '']) {
        const file = join(folder, 'other.jsonl.gz');
        writeFileSync(file, gzipSync(text));
        await assert.rejects(away.importFrom(file, options()), /was not written by sanderling docs export/);
      }
      writeFileSync(join(folder, 'plain.txt'), 'no archive');
      await assert.rejects(
        away.importFrom(join(folder, 'plain.txt'), options()),
        /was not written by sanderling docs export/,
      );
      await assert.rejects(away.importFrom(join(folder, 'none'), options()), /ENOENT/);
      await away.close();
    });
  });

  test('a changed lock file: the new version replaces the old one, and a text that both have is stored once', async () => {
    publish('wader', '1.0.0', {
      'README.md': GUIDE,
      'docs/old.md': '# Old\n\nOnly the old version says this about waders.',
    });
    publish('wader', '2.0.0', {
      'README.md': GUIDE,
      'docs/new.md': '# New\n\nOnly the new version says this about waders.',
    });
    await add(writeLock({ wader: '1.0.0' }, 'first'));
    await add(writeLock({ wader: '2.0.0' }, 'second'));
    const shared = (await libraries.show('wader')).map(
      ({ pages }) => pages.find(({ title }) => title === 'wader README')?.pageUrl,
    );
    assert.equal(new Set(shared).size, 1);
    const oldPage =
      (await libraries.show('wader@1.0.0'))[0]?.pages.find(({ title }) => title === 'Old')?.pageUrl ?? '';
    assert.equal(await indexed(oldPage), true);

    writeLock({ wader: '2.0.0' }, 'first');
    const { removed } = await libraries.sync([], options());
    assert.deepEqual(removed, [{ ecosystem: 'npm', name: 'wader', version: '1.0.0' }]);
    assert.deepEqual([await indexed(oldPage), await indexed(shared[0] ?? '')], [false, true]);
    assert.equal((await libraries.list())[0]?.projects.length, 2);
  });

  test('a hostile package is refused by name, and the others are added', async () => {
    publish('wader', '1.2.0', { 'README.md': GUIDE });
    publish('trap', '1.0.0', gzipSync(tarOf([{ path: 'package/../../../evil.md', data: GUIDE }])));
    const { outcomes } = await add(writeLock({ wader: '1.2.0', trap: '1.0.0' }));
    const trap = outcomes.find(({ name }) => name === 'trap');
    assert.match(trap?.problem ?? '', /^trap 1\.0\.0 .*is refused: the path .* leaves the archive$/);
    assert.equal(outcomes.find(({ name }) => name === 'wader')?.problem, null);
    const { outcomes: again } = await libraries.sync([], options());
    assert.deepEqual(again, [], 'what failed just now is not tried again by a sync');
  });

  test('an interrupted run is continued by the next', async () => {
    publish('wader', '1.2.0', { 'README.md': GUIDE });
    publish('slow', '1.0.0', { 'README.md': GUIDE });
    const tarball = answers.get('/npm/-/slow-1.0.0.tgz');
    const controller = new AbortController();
    answers.set('/npm/-/slow-1.0.0.tgz', () => controller.abort());
    const project = writeLock({ wader: '1.2.0', slow: '1.0.0' });
    await assert.rejects(libraries.add([project], DIRECT, options(controller.signal)));
    assert.ok((await libraries.list()).some(({ name, state }) => name === 'slow' && state === 'wanted'));
    answers.set('/npm/-/slow-1.0.0.tgz', tarball ?? '');
    await libraries.sync([], options());
    assert.deepEqual(
      (await libraries.list()).map(({ state }) => state),
      ['held', 'held'],
    );
  });

  test('a project that is gone keeps its libraries, and the others are synced', async () => {
    publish('wader', '1.0.0', { 'README.md': GUIDE });
    publish('gull', '1.0.0', { 'README.md': `${GUIDE}\ngull` });
    const gone = writeLock({ wader: '1.0.0' }, 'gone');
    const other = writeLock({}, 'other');
    await add(gone, other);
    rmSync(gone, { recursive: true });
    writeLock({ gull: '1.0.0' }, 'other');
    const { problems, outcomes } = await libraries.sync([], options());
    assert.match(problems.join(), /gone: .*ENOENT/);
    assert.deepEqual([outcomes.map(({ name }) => name), (await libraries.list()).length], [['gull'], 2]);
  });

  test('names and versions that would become other addresses are left out and named', async () => {
    const project = writeLock({ '../../other': '1.0.0', wader: '1.0.0/../../other' });
    const { problems, outcomes } = await add(project);
    assert.equal(outcomes.length, 0);
    assert.equal(problems.length, 2);
    assert.match(problems.join(), /is not the name and the version of a package/);
  });

  test('only, skip, dev and all choose the dependencies', async () => {
    for (const name of ['wader', 'gull', 'tern'])
      publish(name, '1.0.0', { 'README.md': `${GUIDE}\n${name}` });
    const project = writeLock({ wader: '1.0.0', gull: '1.0.0', tern: '1.0.0' });
    await libraries.add([project], { ...DIRECT, skip: ['w*'] }, options());
    assert.deepEqual(
      (await libraries.list()).map(({ name }) => name),
      ['gull', 'tern'],
    );
    await libraries.add([project], { ...DIRECT, only: ['wader'] }, options());
    assert.deepEqual(
      (await libraries.list()).map(({ name }) => name),
      ['wader'],
    );
  });

  test('update takes the newest version of what was added by name', async () => {
    publish('wader', '1.0.0', { 'README.md': GUIDE });
    await add('npm:wader');
    publish('wader', '1.1.0', { 'README.md': GUIDE });
    const { outcomes, removed } = await libraries.update([], options());
    assert.deepEqual([outcomes[0]?.version, removed[0]?.version], ['1.1.0', '1.0.0']);
  });

  test('the credentials of a registry go to its own host only', async () => {
    const other = await startWeb({
      routes: {
        '/wader.tgz': (request, response) => {
          seen.push(request.headers.authorization);
          response.end(packedTarOf({ 'package/README.md': GUIDE }));
        },
      },
    });
    const seen: (string | undefined)[] = [];
    const note: Answer = (headers, response) => {
      seen.push(headers.authorization as string | undefined);
      response.end(
        JSON.stringify({ name: 'wader', version: '1.0.0', dist: { tarball: `${other.origin}/wader.tgz` } }),
      );
    };
    answers.set('/npm/wader/1.0.0', note);
    writeFileSync(join(folder, '.npmrc'), `//${new URL(web.origin).host}/npm/:_authToken=\${NPM_TOKEN}\n`);
    const own = composeLibraries(served.services, {
      env: { HOME: folder, NPM_TOKEN: 'letmein' },
      folder,
      registries: [`npm=${web.origin}/npm`],
      trustedHosts: [new URL(other.origin).host],
      makeReference: null,
    });
    const { outcomes } = await own.add(['npm:wader@1.0.0'], DIRECT, options());
    await own.close();
    await other.close();
    assert.equal(outcomes[0]?.problem, null);
    assert.deepEqual(seen, ['Bearer letmein', 'Bearer letmein', undefined]);
  });

  test('pages that the index evicted are counted, until the library is fetched again', async () => {
    publish('wader', '1.0.0', { 'README.md': GUIDE, 'docs/more.md': `# More\n\n${TEXT}` });
    publish('gull', '1.0.0', { 'README.md': `${GUIDE}\ngull` });
    await add('npm:wader', 'npm:gull');
    const { pageUrl = '' } = (await libraries.show('wader'))[0]?.pages[0] ?? {};
    await served.services.index.remove([pageUrl]);
    const evicted = async () => (await libraries.list()).map((one) => `${one.name} ${one.evicted}`);
    assert.deepEqual(await evicted(), ['gull 0', 'wader 1']);
    await libraries.update(['wader'], options());
    assert.deepEqual(await evicted(), ['gull 0', 'wader 0']);
  });

  describe('for whom', () => {
    const addFor = (keyIds: string[], ...what: string[]): Promise<LibrariesSummary> =>
      libraries.add(what, { ...DIRECT, keyIds }, options());
    const readersOf = async (name: string): Promise<string[]> =>
      (await libraries.list()).filter((one) => one.name === name).flatMap(({ keyIds }) => keyIds);

    test('a library is for the keys it was added for, also at its next version, until it is taken back', async () => {
      publish('wader', '1.0.0', { 'README.md': GUIDE });
      await addFor(['key_a'], 'npm:wader');
      await addFor(['key_b', 'key_a'], 'npm:wader');
      assert.deepEqual(await readersOf('wader'), ['key_a', 'key_b']);
      publish('wader', '1.1.0', { 'README.md': GUIDE });
      await libraries.update([], options());
      assert.deepEqual(await readersOf('wader'), ['key_a', 'key_b']);
      await addFor([], 'npm:wader');
      assert.deepEqual(await readersOf('wader'), []);
    });

    test('a project gives its keys the libraries that it uses, and a sync keeps them', async () => {
      publish('wader', '1.0.0', { 'README.md': GUIDE });
      publish('gull', '1.0.0', { 'README.md': GUIDE });
      const project = writeLock({ wader: '1.0.0' });
      await addFor(['key_a'], project);
      assert.deepEqual(await readersOf('wader'), ['key_a']);
      writeLock({ wader: '1.0.0', gull: '1.0.0' });
      await libraries.sync([], options());
      assert.deepEqual(await readersOf('gull'), ['key_a']);
      await libraries.remove([project], options());
      assert.deepEqual(await readersOf('gull'), []);
    });

    test('what is served by a host that the operator named is private', async () => {
      answers.set('/birds/wader/archive/v1.tar.gz', packedTarOf({ 'x/README.md': GUIDE }));
      await add(`git:${web.origin}/birds/wader#v1`);
      assert.equal((await libraries.list())[0]?.is_private, 1);
    });
  });

  test('every other registry', async () => {
    const sdist = packedTarOf({
      'wader-1.0/PKG-INFO': 'Name: wader\nLicense: MIT\n\nText',
      'wader-1.0/README.rst':
        'Wader\n=====\n\nSee :ref:`the guide <guide>` for how a wader runs along the waves.',
    });
    answers.set(
      '/pypi/simple/wader/',
      '<a href="../../files/wader-1.0.tar.gz#sha256=00">wader-1.0.tar.gz</a>',
    );
    answers.set('/pypi/files/wader-1.0.tar.gz', sdist);
    answers.set(
      '/crates/wa/de/wader',
      '{"name":"wader","vers":"1.0.0","yanked":false}\n{"name":"wader","vers":"1.1.0","yanked":true}\n',
    );
    answers.set('/crates/config.json', JSON.stringify({ dl: `${web.origin}/crates/dl` }));
    answers.set(
      '/crates/dl/wader/1.0.0/download',
      packedTarOf({
        'wader-1.0.0/Cargo.toml': '[package]\nname = "wader"\nlicense = "MIT OR Apache-2.0"\n',
        'wader-1.0.0/README.md': GUIDE,
      }),
    );
    answers.set('/go/example.org/!wader/@v/list', 'v1.0.0\nv1.1.0-rc.1\n');
    answers.set('/go/example.org/!wader/@v/v1.0.0.info', '{"Version":"v1.0.0"}');
    answers.set(
      '/go/example.org/!wader/@v/v1.0.0.zip',
      zipOf({
        'example.org/Wader@v1.0.0/README.md': GUIDE,
        'example.org/Wader@v1.0.0/LICENSE':
          'MIT License\n\nPermission is hereby granted, free of charge, to any person',
      }),
    );
    const pom = '<project><licenses><license><name>MIT</name></license></licenses></project>';
    answers.set(
      '/maven/org/birds/wader/maven-metadata.xml',
      '<metadata><versioning><versions><version>1.0</version><version>1.1-rc1</version></versions></versioning></metadata>',
    );
    answers.set('/maven/org/birds/wader/1.0/wader-1.0.pom', pom);
    answers.set(
      '/maven/org/birds/wader/1.0/wader-1.0-javadoc.jar',
      zipOf({
        'org/birds/Wader.html': `<title>Wader</title><main><h1>Class Wader</h1><p>${GUIDE}</p></main>`,
        'index-all.html': '<p>index</p>',
      }),
    );
    answers.set('/gem/api/v1/versions/wader.json', '[{"number":"1.0.0","prerelease":false}]');
    answers.set('/gem/api/v2/rubygems/wader/versions/1.0.0.json', '{"licenses":["MIT"]}');
    answers.set(
      '/gem/gems/wader-1.0.0.gem',
      tarOf([{ path: 'data.tar.gz', data: packedTarOf({ 'README.md': GUIDE }) }]),
    );
    answers.set(
      '/composer/p2/birds/wader.json',
      JSON.stringify({
        packages: {
          'birds/wader': [
            { version: '1.0.0', license: ['MIT'], dist: { url: `${web.origin}/composer/wader.zip` } },
          ],
        },
      }),
    );
    answers.set('/composer/wader.zip', zipOf({ 'wader-abc/README.md': GUIDE }));
    answers.set(
      '/pub/api/packages/wader',
      JSON.stringify({
        versions: [{ version: '1.0.0', archive_url: `${web.origin}/pub/wader.tar.gz`, pubspec: {} }],
      }),
    );
    answers.set('/pub/wader.tar.gz', packedTarOf({ 'README.md': GUIDE }));
    const { outcomes, problems } = await add(
      'pypi:wader',
      'crates:wader',
      'go:example.org/Wader',
      'maven:org.birds:wader',
      'gem:wader',
      'composer:birds/wader',
      'pub:wader',
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(
      outcomes
        .map(
          ({ ecosystem, name, version, problem, fetched }) =>
            `${ecosystem} ${name} ${version} ${problem ?? fetched?.licence}`,
        )
        .sort(),
      [
        'composer birds/wader 1.0.0 MIT',
        'crates wader 1.0.0 MIT OR Apache-2.0',
        'gem wader 1.0.0 MIT',
        'go example.org/Wader v1.0.0 MIT',
        'maven org.birds:wader 1.0 MIT',
        'pub wader 1.0.0 null',
        'pypi wader 1.0 MIT',
      ],
    );
    assert.deepEqual(await titlesOf('org.birds:wader'), ['api javadoc Wader']);
    const [python] = await libraries.show('pypi:wader');
    const page = await served.services.index.get(python?.pages[0]?.pageUrl ?? '');
    assert.match(page?.markdown ?? '', /See the guide for how a wader runs/);
  });

  describe('the API reference', () => {
    const addWith = async (makeReference: MakeReference, ...what: string[]): Promise<string[]> => {
      const own = composeLibraries(served.services, {
        env: { HOME: folder },
        folder,
        registries: ['npm', 'pypi', 'maven'].map(
          (name) => `${name}=${web.origin}/${name}${name === 'pypi' ? '/simple' : ''}`,
        ),
        trustedHosts: [],
        makeReference,
      });
      const { outcomes, problems } = await own.add(what, DIRECT, options());
      await own.close();
      return [...problems, ...outcomes.flatMap(({ problem }) => problem ?? [])];
    };
    const pagesOf = async (name: string): Promise<string[]> =>
      (await libraries.show(name))
        .flatMap(({ pages }) => pages)
        .filter(({ kind }) => kind === 'api')
        .map(({ source, title, url }) => `${source} ${title} ${url.replace(web.origin, '')}`)
        .sort();
    const notesOf = async (name: string): Promise<string> =>
      (await libraries.show(name)).map(({ library }) => library.notes).join();
    const TYPES = '/** Walks `along` a shore. */\nexport declare function walk(along: string): void;\n';

    test('of npm: from the types of the package, a page for each module', async () => {
      publish('wader', '1.0.0', {
        'README.md': GUIDE,
        'package.json': '{"name":"wader","types":"index.d.ts"}',
        'index.d.ts': TYPES,
      });
      assert.deepEqual(await addWith(createReferenceMaker(), 'npm:wader'), []);
      assert.deepEqual(await pagesOf('wader'), [
        'code wader: API reference /npm/-/wader-1.0.0.tgz?module=wader',
      ]);
      const page = await served.services.index.get(`${web.origin}/npm/-/wader-1.0.0.tgz?module=wader`);
      assert.match(
        page?.markdown ?? '',
        /function walk\(along: string\): void[\s\S]*Walks `along` a shore\./,
      );
      assert.equal((await titlesOf('wader')).length, 2);
    });

    test('of npm without types: from the nearest version of DefinitelyTyped', async () => {
      publish('wader', '4.2.1', { 'README.md': GUIDE, 'package.json': '{"name":"wader"}', 'index.js': '' });
      for (const version of ['3.9.0', '4.1.5', '4.3.0'])
        publish('@types%2fwader', version, {
          'package.json': '{"name":"@types/wader","types":"index.d.ts"}',
          'index.d.ts': TYPES,
        });
      const versions = { '3.9.0': {}, '4.1.5': {}, '4.3.0': {} };
      answers.set('/npm/@types%2fwader', JSON.stringify({ versions }));
      assert.deepEqual(await addWith(createReferenceMaker(), 'npm:wader'), []);
      assert.deepEqual(await pagesOf('wader'), [
        'types wader: API reference /npm/-/wader-4.2.1.tgz?module=wader',
      ]);
      assert.match(await notesOf('wader'), /@types\/wader 4\.1\.5/);
    });

    test('of Python: from the source archive', async () => {
      answers.set('/pypi/simple/wader/', '<a href="../../files/wader-1.0.tar.gz">wader-1.0.tar.gz</a>');
      answers.set(
        '/pypi/files/wader-1.0.tar.gz',
        packedTarOf({
          'wader-1.0/PKG-INFO': 'Name: wader\n\nText',
          'wader-1.0/README.md': GUIDE,
          'wader-1.0/src/wader/__init__.py': 'def walk(along):\n    """Walks along a shore."""\n',
          'wader-1.0/src/wader/beach.py': 'def dig(depth=1):\n    """Digs for worms."""\n',
        }),
      );
      assert.deepEqual(await addWith(createReferenceMaker(), 'pypi:wader'), []);
      assert.deepEqual(await pagesOf('wader'), [
        'code wader.beach: API reference /pypi/files/wader-1.0.tar.gz?module=wader/beach',
        'code wader: API reference /pypi/files/wader-1.0.tar.gz?module=wader',
      ]);
    });

    test('of Maven: from the sources, in place of the javadoc of the same classes', async () => {
      const file = '/maven/org/birds/wader/1.0/wader-1.0';
      answers.set(`${file}.pom`, '<project/>');
      answers.set(
        `${file}-sources.jar`,
        zipOf({ 'org/birds/Wader.java': `package org.birds;\n/** ${TEXT} */\npublic class Wader {}\n` }),
      );
      answers.set(
        `${file}-javadoc.jar`,
        zipOf({ 'org/birds/Wader.html': `<title>Wader</title><main><h1>Wader</h1><p>${TEXT}</p></main>` }),
      );
      assert.deepEqual(await addWith(createReferenceMaker(), 'maven:org.birds:wader@1.0'), []);
      assert.deepEqual(await pagesOf('org.birds:wader'), [
        `code org.birds:wader org.birds.Wader: API reference ${file}-sources.jar?module=org/birds/Wader`,
      ]);
    });

    test('that cannot be made is noted, and the guides are held', async () => {
      const failure = 'the grammars of programming languages are not installed: npm ci';
      publish('wader', '1.0.0', { 'README.md': GUIDE, 'index.d.ts': TYPES });
      assert.deepEqual(await addWith(() => Promise.reject(new Error(failure)), 'npm:wader'), []);
      assert.deepEqual(await titlesOf('wader'), ['guide package wader README']);
      assert.match(await notesOf('wader'), /API reference: the grammars .* are not installed/);
    });
  });

  test("the repository at the version's tag comes before the package", async () => {
    const guides = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [`wader-1/docs/${name}.md`, `# Guide ${name}\n\n${GUIDE}`]),
    );
    answers.set('/birds/wader/archive/v1.0.0.tar.gz', packedTarOf({ 'wader-1/README.md': GUIDE, ...guides }));
    publish('wader', '1.0.0', { 'README.md': GUIDE }, { repository: `${web.origin}/birds/wader` });
    const { outcomes } = await add('npm:wader@1.0.0');
    assert.deepEqual(outcomes[0]?.fetched?.sources, { repository: 4 });
    const [{ pages = [] } = {}] = await libraries.show('wader');
    assert.ok(pages.some(({ url }) => url.endsWith('/birds/wader/src/tag/v1.0.0/docs/a.md')));
  });

  test('llms-full.txt of the documentation comes first, and only where it is of this version', async () => {
    const sections = ['one', 'two', 'three'].map(
      (name) => `# ${name}\nSource: ${web.origin}/site/${name}\n\nIt is ${name}: ${TEXT}`,
    );
    answers.set('/site/llms-full.txt', sections.join('\n\n'));
    publish(
      'wader',
      '1.0.0',
      { 'README.md': GUIDE, 'docs/own.md': GUIDE },
      { homepage: `${web.origin}/site/` },
    );
    publish('wader', '2.0.0', { 'README.md': GUIDE }, { homepage: `${web.origin}/site/` });
    await add('npm:wader@2.0.0', 'npm:wader@1.0.0');
    assert.deepEqual((await titlesOf('wader@1.0.0')).sort(), [
      'guide package Wading',
      'guide package wader README',
    ]);
    assert.deepEqual((await titlesOf('wader@2.0.0')).sort(), [
      'guide llms-full one',
      'guide llms-full three',
      'guide llms-full two',
      'guide package wader README',
    ]);
    const [{ library } = {}] = await libraries.show('wader@1.0.0');
    assert.match(library?.notes ?? '', /documents 2\.0\.0, not 1\.0\.0/);
  });

  test('a repository, a text file, a folder and a site by name', async () => {
    answers.set(
      '/birds/wader/archive/v1.tar.gz',
      packedTarOf({ 'x/docs/a.md': GUIDE, 'x/README.md': GUIDE }),
    );
    answers.set('/llms-full.txt', `# One\n\n${TEXT}\n\n# Two\n\nIt is two: ${TEXT}`);
    answers.set(
      '/guide/',
      `<title>Guide</title><main><h1>Guide</h1><p>${GUIDE}</p><a href="/guide/more">more</a><a href="/other">other</a></main>`,
    );
    answers.set(
      '/guide/more',
      `<title>More</title><main><h1>More</h1><p>More about waders: ${GUIDE}</p></main>`,
    );
    answers.set('/other', `<title>Other</title><main><h1>Other</h1><p>${GUIDE}</p></main>`);
    mkdirSync(join(folder, 'notes'));
    writeFileSync(
      join(folder, 'notes', 'tide.md'),
      '# Tide\n\nThe tide comes in twice a day, and waders follow it.',
    );
    const { outcomes, problems } = await add(
      `git:${web.origin}/birds/wader#v1:docs`,
      `${web.origin}/llms-full.txt`,
      join(folder, 'notes'),
      `${web.origin}/guide/`,
    );
    assert.deepEqual(problems, []);
    const host = new URL(web.origin).host;
    assert.deepEqual(
      outcomes
        .map(({ ecosystem, name, fetched, problem }) => `${ecosystem} ${name}: ${problem ?? fetched?.pages}`)
        .sort(),
      [`folder notes: 1`, `git birds/wader/docs: 1`, `web ${host}/guide: 2`, `web ${host}: 2`].sort(),
    );
  });
});

const typeOf = (url: string): string =>
  /\.(?:txt|md)$/.test(url)
    ? 'text/plain; charset=utf-8'
    : /\/(?:guide|other)/.test(url)
      ? 'text/html; charset=utf-8'
      : 'application/octet-stream';
