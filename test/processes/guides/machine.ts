import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A copy of the project with a network, process ids and copies of the system's folders of its own. */
export type Machine = {
  /** Runs a script of commands from the project's folder, and fails if one of them fails. Returns what it wrote. */
  run(script: string): string;
  close(): void;
};

/** The proxies of the test take port 443, where the page would be. */
const NEEDS_INTERNET = [/search\.example\.org\/r\/https:\/\/example\.org/];
const RUN_MS_MAX = 170_000;

/**
 * `serve` starts the service and waits until it is ready; `restart` starts it again. `outside` starts what outside.ts stands in for.
 */
const PREPARE = `
set -eu
ip link set lo up
for folder in nginx caddy ssl; do mkdir -p "$ROOT/etc/$folder"; cp -a "/etc/$folder/." "$ROOT/etc/$folder"; mount --bind "$ROOT/etc/$folder" "/etc/$folder"; done
printf '127.0.0.1 localhost search.example.org\\n' > "$ROOT/hosts"; mount --bind "$ROOT/hosts" /etc/hosts
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=search.example.org -addext subjectAltName=DNS:search.example.org,DNS:example.org \\
  -keyout /etc/ssl/private/search.example.org.key -out /etc/ssl/certs/search.example.org.pem 2>/dev/null
chmod 644 /etc/ssl/private/search.example.org.key
export CURL_CA_BUNDLE=/etc/ssl/certs/search.example.org.pem PATH="$ROOT/bin:$PATH" HOME="$ROOT"
cd "$ROOT/project"
rm -rf .env data
until_up() { for i in $(seq 240); do curl -sf "$1" > /dev/null && return; sleep 0.5; done; cat "$2"; exit 1; }
serve() { setsid npm start > "$ROOT/serve.log" 2>&1 & SERVER=$!; until_up http://localhost:8080/readyz "$ROOT/serve.log"; }
restart() { kill -- "-$SERVER"; for i in $(seq 100); do curl -s http://localhost:8080/readyz > /dev/null || break; sleep 0.2; done; wait "$SERVER" || true; serve; }
outside() {
  ip addr add 93.184.215.14/32 dev lo; rm -f "$ROOT/variables"
  node_modules/.bin/node test/processes/guides/outside.ts 93.184.215.14 /etc/ssl/private/search.example.org.key /etc/ssl/certs/search.example.org.pem "$ROOT/variables" > "$ROOT/outside.log" 2>&1 &
  for i in $(seq 240); do test -s "$ROOT/variables" && break; sleep 0.25; done
  . "$ROOT/variables" || { cat "$ROOT/outside.log"; exit 1; }
}
`;

const SHIMS: Record<string, string> = {
  sudo: 'exec "$@"',
  systemctl:
    'case "$1 $2" in "reload nginx") nginx -s reload 2>/dev/null || nginx;; "reload caddy") caddy start --config /etc/caddy/Caddyfile --adapter caddyfile;; esac',
  stripe:
    'case "$1 $2" in "listen --forward-to") curl -sS "http://127.10.0.9:12111/?to=$3";; "login ") ;; *) exit 1;; esac',
  // The predecessor of SearXNG that Debian has: other names of the command and of its setting.
  'searxng-run': 'SEARX_SETTINGS_PATH="$SEARXNG_SETTINGS_PATH" exec searx-run',
};

/** Why a machine cannot be opened here, or false. */
export function missing(): string | false {
  const tried = spawnSync('sh', [
    '-c',
    'unshare --net --mount true && nginx -v && caddy version && openssl version',
  ]);
  return tried.status === 0 ? false : 'needs root for a network of its own, nginx, caddy and openssl';
}

/** The code blocks of a guide in one language, from one heading on if it is named. */
export function blocksOf(guide: string, language: string, heading?: string): string[] {
  const text = readFileSync(`docs/guides/${guide}.md`, 'utf8').replaceAll(
    '{base_url}',
    'http://localhost:8080',
  );
  const part = heading === undefined ? text : (text.split(`## ${heading}\n`)[1]?.split(/^## /m)[0] ?? '');
  const blocks = [...part.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const codes = blocks.filter(([, found]) => found === language).map(([, , code = '']) => code);
  assert.ok(codes.length > 0, `${guide} ${heading}`);
  return codes;
}

/** The commands of a guide, from one heading on if it is named. */
export function commandsOf(guide: string, heading?: string): string {
  const lines = blocksOf(guide, 'sh', heading).join('').split('\n');
  return lines.filter((line) => !NEEDS_INTERNET.some((pattern) => pattern.test(line))).join('\n');
}

/** npm tells the scripts that it runs where the settings of its own user lie; the machine of a guide has a user of its own. */
const isOfNoRun = ([name]: [string, unknown]): boolean => !/^npm_config_/i.test(name);

/** Copies the project as a clone has it, with its dependencies. */
export function openMachine(): Machine {
  const root = mkdtempSync(join(tmpdir(), 'sanderling-guides-'));
  const copy = `mkdir -p ${root}/project ${root}/bin && git ls-files -co --exclude-standard | tar -cf - -T - | tar -xf - -C ${root}/project && cp -al node_modules ${root}/project/ && cp -al runtime/node_modules ${root}/project/runtime/`;
  execFileSync('sh', ['-c', copy]);
  for (const [name, text] of Object.entries(SHIMS))
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return {
    /** Everything that the commands start ends with them: they have process ids of their own. */
    run(script) {
      const file = join(root, 'script.sh');
      writeFileSync(file, PREPARE + script);
      const arguments_ = [
        '--net',
        '--mount',
        '--pid',
        '--fork',
        '--kill-child',
        '--mount-proc',
        'bash',
        file,
      ];
      const env = { ...Object.fromEntries(Object.entries(process.env).filter(isOfNoRun)), ROOT: root };
      const options = { env, encoding: 'utf8', timeout: RUN_MS_MAX } as const;
      const { status, stdout, stderr } = spawnSync('unshare', arguments_, options);
      assert.equal(status, 0, `${stdout}\n${stderr}`);
      return stdout;
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
