import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig, SETTINGS } from '../src/app/config.ts';
import { SOURCE_SETTING_NAMES } from '../src/app/source-settings.ts';
import { CALL_WAIT_MS_MAX, ROUTE_MS, UPLOAD_BYTES_MAX } from '../src/contract/limits.ts';
import { filesReadOutside, isBelow, matches, ROOT, read } from './fixtures/shipped-files.ts';

/** What compose.yaml, the image, the unit and the proxies promise, as far as files can be held to it. */

const SETTING_NAMES = new Set([...Object.keys(SETTINGS.shape), ...SOURCE_SETTING_NAMES]);
/** Variables that others than Sanderling read. */
const NODE_VARIABLES = ['PATH', 'NODE_ENV', 'NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'SQLITE_TMPDIR'];
const COMPOSE_VARIABLES = ['SEARXNG_IMAGE', 'POSTGRES_PASSWORD'];

function assertKnown(names: Iterable<string>, others: readonly string[] = []): void {
  for (const name of names)
    assert.ok(SETTING_NAMES.has(name) || others.includes(name), `${name} is no setting of Sanderling`);
}

type Service = {
  image?: string;
  profiles?: string[];
  environment?: Record<string, unknown>;
  ports?: string[];
  volumes?: string[];
  read_only?: boolean;
  depends_on?: Record<string, unknown>;
};
type Compose = { services: Record<string, Service>; volumes: Record<string, unknown> };

describe('compose.yaml', () => {
  const text = read('compose.yaml');
  const { services, volumes } = parse(text) as Compose;

  test('starts the service and a SearXNG without a profile', () => {
    const started = Object.keys(services).filter((name) => services[name]?.profiles === undefined);
    assert.deepEqual(started, ['sanderling', 'searxng']);
    for (const needed of Object.keys(services.sanderling?.depends_on ?? {}))
      assert.ok(needed in services, needed);
  });

  test('sets and asks for settings that exist', () => {
    assertKnown(Object.keys(services.sanderling?.environment ?? {}));
    assertKnown(matches(text, /\$\{([A-Z_]+)/g), COMPOSE_VARIABLES);
  });

  test('its settings are accepted, with an empty environment around', () => {
    const settings = Object.entries(services.sanderling?.environment ?? {}).map(([name, value]) => [
      name,
      String(value)
        .replace(/\$\{[A-Z_]+:-([^${}]*)\}/g, '$1')
        .replace(/\$\{[A-Z_]+:-([^${}]*)\}/g, '$1'),
    ]);
    const config = readConfig(Object.fromEntries(settings));
    assert.equal(config.baseUrl, 'http://localhost:8080');
    assert.equal(config.sources.searxng?.baseUrl, 'http://searxng:8080');
    assert.equal(config.metering, false);
  });

  test('publishes ports on this machine alone', () => {
    for (const { ports = [] } of Object.values(services))
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
  });

  test('mounts files that exist and volumes that are declared', () => {
    for (const mount of Object.values(services).flatMap((service) => service.volumes ?? [])) {
      const [source = ''] = mount.split(':');
      assert.ok(source.startsWith('./') ? existsSync(join(ROOT, source)) : source in volumes, mount);
    }
    assert.equal(services.sanderling?.read_only, true);
  });
});

test('the settings of SearXNG turn its JSON format on and the placeholder of its secret off', () => {
  const settings = parse(read('deploy/searxng/settings.yml'));
  assert.equal(settings.use_default_settings, true);
  assert.ok(settings.search.formats.includes('json'));
  assert.ok(settings.server.secret_key.length > 0);
  assert.notEqual(settings.server.secret_key, 'ultrasecretkey');
  // Sanderling itself waits no longer for a source.
  assert.ok(settings.outgoing.request_timeout * 1_000 < ROUTE_MS.search);
});

describe('Dockerfile', () => {
  const text = read('Dockerfile').replaceAll('\\\n', ' ');
  const copied = matches(text, /^COPY (?!--from)(.+) \S+$/gm).flatMap((paths) => paths.split(' '));
  const ignored = read('.dockerignore').split('\n');

  test('copies paths that exist and that .dockerignore lets through', () => {
    assert.ok(copied.length > 5);
    assert.ok(ignored.includes('*'));
    for (const path of copied) {
      assert.ok(existsSync(join(ROOT, path)), path);
      const isLetThrough = [path, path.split('/')[0]].some((one) => ignored.includes(`!${one}`));
      assert.ok(isLetThrough, `.dockerignore keeps ${path} out`);
    }
  });

  test('runs as a user without rights, with settings that exist', () => {
    assert.match(text, /^USER 10001:10001$/m);
    assert.match(text, /^HEALTHCHECK /m);
    assertKnown(matches(text.slice(text.lastIndexOf('FROM ')), /\s([A-Z_]+)=/g), NODE_VARIABLES);
  });

  test('holds every file outside src/ that the sources read', () => {
    const outside = filesReadOutside();
    assert.ok(outside.length > 0);
    for (const path of outside) assert.ok(isBelow(path, copied), `${path} is not copied`);
  });
});

test('the manifest of Kubernetes runs one server without rights, with settings that exist', () => {
  const [, set] = parseAllDocuments(read('deploy/kubernetes/sanderling.yaml')).map((part) => part.toJS());
  assert.equal(set.spec.replicas, 1);
  const { securityContext, containers } = set.spec.template.spec;
  const [{ env, securityContext: rights, volumeMounts }] = containers;
  assertKnown(env.map(({ name }: { name: string }) => name));
  assert.equal(securityContext.runAsUser, 10_001);
  assert.deepEqual([rights.readOnlyRootFilesystem, rights.capabilities], [true, { drop: ['ALL'] }]);
  assert.deepEqual(volumeMounts, [{ name: 'data', mountPath: '/data' }]);
});

test('the manifest of the browser runs it without rights, for the pods of the server alone', () => {
  const [service, deployment, policy] = parseAllDocuments(
    read('deploy/kubernetes/sanderling-render.yaml'),
  ).map((part) => part.toJS());
  const { securityContext, containers, automountServiceAccountToken } = deployment.spec.template.spec;
  const [{ env, ports, securityContext: rights, startupProbe }] = containers;
  assertKnown(env.map(({ name }: { name: string }) => name));
  assert.deepEqual(env[0].valueFrom.secretKeyRef, { name: 'sanderling-render', key: 'RENDER_TOKEN' });
  assert.equal(automountServiceAccountToken, false);
  assert.equal(securityContext.runAsUser, 10_001);
  assert.deepEqual([rights.readOnlyRootFilesystem, rights.capabilities], [true, { drop: ['ALL'] }]);
  const [, port] = /RENDER_PORT=(\d+)/.exec(read('deploy/render/Dockerfile')) ?? [];
  assert.deepEqual([ports[0].containerPort, service.spec.ports[0].port], [Number(port), Number(port)]);
  assert.ok(startupProbe.exec.command.at(-1).includes(`127.0.0.1:${port}/healthz`));
  const [{ from }] = policy.spec.ingress;
  const [server] = parseAllDocuments(read('deploy/kubernetes/sanderling.yaml')).map((part) => part.toJS());
  assert.deepEqual(from, [{ podSelector: { matchLabels: server.spec.selector } }]);
  assert.deepEqual(policy.spec.podSelector.matchLabels, deployment.spec.template.metadata.labels);
});

describe('the unit of systemd', () => {
  const unit = read('deploy/systemd/sanderling.service');

  test('sets settings that exist', () => {
    assertKnown(matches(unit, /^Environment=([A-Z_]+)=/gm), NODE_VARIABLES);
  });

  const analyzer = spawnSync('systemd-analyze', ['--version']);
  const skip = analyzer.status === 0 ? false : 'systemd-analyze is not installed';
  test('is accepted by systemd-analyze', { skip }, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'unit-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'sanderling.service');
    // The program is not installed here.
    writeFileSync(file, unit.replace('/usr/local/bin/sanderling', process.execPath));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    });
    assert.equal(
      stderr
        .split('\n')
        .filter((line) => line.includes(file))
        .join('\n'),
      '',
    );
    assert.equal(status, 0, stderr);
  });
});

describe('the proxies', () => {
  const longestSeconds = (CALL_WAIT_MS_MAX + Math.max(...Object.values(ROUTE_MS))) / 1_000;
  const caddy = read('deploy/caddy/Caddyfile');
  const nginx = read('deploy/nginx/sanderling.conf');

  test('wait for the longest call', () => {
    for (const timeout of matches(caddy, /(?:read|response_header)_timeout (\d+)s/g))
      assert.ok(Number(timeout) > longestSeconds, timeout);
    assert.ok(Number(/proxy_read_timeout (\d+)s/.exec(nginx)?.[1]) > longestSeconds);
  });

  test('leave the refusal of large bodies to the service', () => {
    assert.ok(Number(/max_size (\d+)MB/.exec(caddy)?.[1]) * 1_000_000 > UPLOAD_BYTES_MAX);
    assert.ok(Number(/client_max_body_size (\d+)m/.exec(nginx)?.[1]) * 1_048_576 > UPLOAD_BYTES_MAX);
  });

  test('pass on each part of a stream at once, and keep the metrics to this machine', () => {
    assert.match(caddy, /flush_interval -1/);
    assert.match(nginx, /proxy_buffering off;/);
    assert.match(caddy, /respond \/metrics 404/);
    assert.match(nginx, /location = \/metrics \{\s+return 404;/);
  });

  test('name settings that exist', () => {
    for (const text of [caddy, nginx]) assertKnown(matches(text, /^#\s+([A-Z_]+)=/gm));
  });
});

test('docs/self-host.md names settings and files that exist', () => {
  const text = read('docs/self-host.md');
  const code = matches(text, /^```[a-z]*\n([\s\S]*?)^```$/gm).join('\n');
  assertKnown(matches(code, /^(?:export )?([A-Z][A-Z_]+)=/gm), [...NODE_VARIABLES, ...COMPOSE_VARIABLES]);
  for (const path of matches(text, /\b((?:deploy|scripts)\/[\w./-]+\w)/g))
    assert.ok(existsSync(join(ROOT, path)), path);
});
