import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

/**
 * The commands of the guides, word by word, in a copy of the project, a network of its own and copies of the system's folders.
 * What only the internet can answer is left out by name.
 */

const NEEDS_INTERNET = [/\/r\/https:\/\/example\.org/];

/** Why the machine cannot run them. */
function missing(): string | false {
  const tried = spawnSync('sh', [
    '-c',
    'unshare --net --mount true && nginx -v && caddy version && openssl version',
  ]);
  return tried.status === 0 ? false : 'needs root for a network of its own, nginx, caddy and openssl';
}

/** The shell blocks of a guide, from one heading on if it is named. */
function commandsOf(guide: string, heading?: string): string {
  const text = readFileSync(`docs/guides/${guide}.md`, 'utf8');
  const part = heading === undefined ? text : (text.split(`## ${heading}\n`)[1]?.split(/^## /m)[0] ?? '');
  const blocks = [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code);
  assert.ok(blocks.length > 0, `${guide} ${heading}`);
  const lines = blocks.join('').split('\n');
  return lines.filter((line) => !NEEDS_INTERNET.some((pattern) => pattern.test(line))).join('\n');
}

const PREPARE = `
set -eu
ip link set lo up
for folder in nginx caddy ssl; do mkdir -p "$ROOT/etc/$folder"; cp -a "/etc/$folder/." "$ROOT/etc/$folder"; mount --bind "$ROOT/etc/$folder" "/etc/$folder"; done
printf '127.0.0.1 localhost search.example.org\\n' > "$ROOT/hosts"; mount --bind "$ROOT/hosts" /etc/hosts
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=search.example.org -addext subjectAltName=DNS:search.example.org \\
  -keyout /etc/ssl/private/search.example.org.key -out /etc/ssl/certs/search.example.org.pem 2>/dev/null
chmod 644 /etc/ssl/private/search.example.org.key
export CURL_CA_BUNDLE=/etc/ssl/certs/search.example.org.pem PATH="$ROOT/bin:$PATH" HOME="$ROOT"
cd "$ROOT/project"
serve() { npm start > "$ROOT/serve.log" 2>&1 & for i in $(seq 240); do curl -sf http://localhost:8080/readyz > /dev/null && return; sleep 0.5; done; cat "$ROOT/serve.log"; exit 1; }
`;

const SHIMS: Record<string, string> = {
  sudo: 'exec "$@"',
  systemctl:
    'case "$1 $2" in "reload nginx") nginx -s reload 2>/dev/null || nginx;; "reload caddy") caddy start --config /etc/caddy/Caddyfile --adapter caddyfile;; esac',
};

describe('the commands of the guides', { skip: missing() }, () => {
  let root: string;
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'sanderling-guides-'));
    const copy = `mkdir -p ${root}/project ${root}/bin && git ls-files -co --exclude-standard | tar -cf - -T - | tar -xf - -C ${root}/project && cp -al node_modules ${root}/project/ && cp -al runtime/node_modules ${root}/project/runtime/`;
    execFileSync('sh', ['-c', copy]);
    for (const [name, text] of Object.entries(SHIMS))
      writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  /** Everything that the commands start ends with them: they have process ids of their own. */
  function inMachine(script: string): string {
    const file = join(root, 'script.sh');
    writeFileSync(file, PREPARE + script);
    const arguments_ = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'bash', file];
    const options = { env: { ...process.env, ROOT: root }, encoding: 'utf8', timeout: 170_000 } as const;
    const { status, stdout, stderr } = spawnSync('unshare', arguments_, options);
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    return stdout;
  }

  test('self-hosting: the server starts, the import is found', () => {
    const [, ...rest] = commandsOf('self-host').split('\n');
    const said = inMachine(`serve\n${rest.join('\n')}\nexit 0`);
    assert.match(said, /"status":"ready"/);
    assert.match(said, /docs\.example\.org/);
  });

  test('import formats: the two pages are found, and exported', () => {
    const said = inMachine(`${commandsOf('import-formats')}\ncat export.jsonl`);
    assert.match(said, /https:\/\/docs\.example\.org\/logs\//);
    assert.match(said, /"url":"https:\/\/docs\.example\.org\/birds\/"/);
  });

  test('nginx with TLS', () => {
    const said = inMachine(`${commandsOf('behind-a-proxy', 'Tell the service')}
serve
${commandsOf('behind-a-proxy', 'nginx')}
${commandsOf('behind-a-proxy', 'Check')}
curl -sS -o /dev/null -w '%{http_code}' https://search.example.org/metrics`);
    assert.match(said, /"status":"ready".*404$/s);
  });

  test('Caddy with TLS, by a certificate at hand', () => {
    const said = inMachine(`${commandsOf('behind-a-proxy', 'Tell the service')}
serve
sed -i 's|^search.example.org {|&\\n\\ttls /etc/ssl/certs/search.example.org.pem /etc/ssl/private/search.example.org.key|' deploy/caddy/Caddyfile
${commandsOf('behind-a-proxy', 'Caddy')}
${commandsOf('behind-a-proxy', 'Check')}
curl -sS -o /dev/null -w '%{http_code}' https://search.example.org/metrics`);
    assert.match(said, /"status":"ready".*404$/s);
  });
});
