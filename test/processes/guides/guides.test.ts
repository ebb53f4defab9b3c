import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { searxCommand, settingsOf } from '../../fixtures/searx.ts';
import { blocksOf, commandsOf, type Machine, missing, openMachine } from './machine.ts';

/** Where outside.ts answers for an engine. */
const ENGINE = 'http://127.10.0.5:8181/?q={query}';

/** Opens a page as a browser does, and ends with its address. */
const FOLLOW = `follow() { curl -sS -L -b "$ROOT/jar" -c "$ROOT/jar" -w '\\n%{url_effective}\\n' "$@"; }`;

/** The settings file of the guide on SearXNG. */
function guideSettings(): { search: { formats: string[] }; server: { limiter: boolean } } {
  const [settings = ''] = blocksOf('searxng', 'yaml');
  return parse(settings);
}

/** The guide's settings over defaults, which Debian's package does not have, with one engine that needs no internet. */
function completeSettings(): string {
  const engine = { name: 'outside', shortcut: 'outs', searchUrl: ENGINE, isDefault: true };
  const defaults = settingsOf(8888, [engine]);
  const { search, server } = guideSettings();
  return JSON.stringify({
    ...defaults,
    search: { ...defaults.search, ...search },
    server: { ...defaults.server, ...server },
  });
}

/**
 * The commands of the guides, word by word, in a copy of the project on a machine of its own. Not as written are only:
 * example.org, Stripe and its tool, and the engines of the metasearch server (outside.ts stands in for them); the secrets that
 * the reader fills in; and the commands that machine.ts leaves out by name.
 */
describe('the commands of the guides', { skip: missing() }, () => {
  let machine: Machine;
  before(() => {
    machine = openMachine();
  });
  after(() => machine?.close());

  test('quick start: each call answers, from the page and from the index', () => {
    const said = machine.run(`outside\nserve\n${commandsOf('quick-start')}`);
    assert.match(said, /# Example Domain[\s\S]*documentation examples/);
    assert.match(said, /"results":\[\{[^\]]*"url":"https:\/\/example\.org\/"/);
    assert.match(said, /"statuses":\[\{[^}]*"status":"success"/);
    assert.match(said, /"markdown":"# Waders"/);
    assert.match(said, /"found":"exact"/);
    assert.match(said, /"apiKey":"sdl_/);
    assert.doesNotMatch(said, /"error":"(?!unreachable")/);
  });

  test('pages behind a login: a profile is added and listed, without its token', () => {
    const settings = 'export PRIVATE_SITES=operator TOKEN=sesame-4711';
    const said = machine.run(`${settings}\n${commandsOf('pages-behind-a-login')}`);
    assert.match(said, /^wiki {2}https:\/\/wiki\.example\.org {2}by headers, into the collection wiki$/m);
    assert.match(said, /^collection wiki {2}0 pages/m);
    assert.doesNotMatch(said, /sesame/);
  });

  test('moving: every shape answers with the page', () => {
    // Reading the page once puts it into the index, which the searches ask.
    const [read = ''] = blocksOf('quick-start', 'sh');
    const calls = blocksOf('moving', 'sh');
    const [, ...answers] = machine
      .run(`outside\nserve\n${[read, ...calls].join('\necho =====\n')}`)
      .split('=====');
    assert.equal(answers.length, 4);
    for (const answer of answers) {
      assert.match(answer, /documentation examples/);
      assert.doesNotMatch(answer, /"error":"(?!unreachable")|"success":false/);
    }
  });

  test('tuning: what to watch answers, and each setting is accepted', () => {
    const said = machine.run(
      `serve\n${commandsOf('tuning')}\necho =====\nrestart\n${commandsOf('tuning', 'What to watch')}`,
    );
    assert.match(said, /^# TYPE /m);
    assert.match(said, /"sources":\[/);
    const [first = '', second = ''] = said.split('=====');
    assert.match(first, /warning +hackernews +on/);
    assert.match(second, /warning +wikipedia +on/);
    assert.match(second, /off +hackernews/);
  });

  test('selling credits: a purchase shows a key, and the key works', () => {
    const commands = commandsOf('sell-credits').replaceAll('replace_me', 'fake');
    const lines = commands.split('\n');
    const check = lines.findIndex((line) => line.startsWith('curl'));
    const said = machine.run(`outside
${lines.slice(0, check).join('\n')}
echo "STRIPE_API_BASE=$STRIPE" >> .env
serve
${FOLLOW}
page="$(follow 'http://localhost:8080/buy/instant?auto_reload=1' | tail -1)"
paid="$(follow -d card=ok "$STRIPE/_test/checkout/\${page##*/}/pay")"
SANDERLING_API_KEY="$(grep -o 'sdl_[A-Za-z0-9_-]*' <<< "$paid" | head -1)"
${lines.slice(check).join('\n')}
curl -sS http://localhost:8080/metrics | grep webhooks`);
    assert.match(said, /signing secret is whsec_fake/);
    assert.match(said, /"credits":15000,"auto_reload":\{"enabled":true/);
    assert.match(said, /_count\{route="\/webhooks\/stripe",status="200"\} [1-9]/);
  });

  test('selling credits without Stripe: the sandbox shows a key', () => {
    const said = machine.run(`serve
${FOLLOW}
page="$(follow http://localhost:8080/buy/instant | tail -1)"
follow -d action=pay "$page"`);
    assert.match(said, /sdl_\w+/);
  });

  test('SearXNG: the settings file has what the service needs', () => {
    const { search, server } = guideSettings();
    assert.ok(search.formats.includes('json'));
    assert.equal(server.limiter, false);
  });

  test('SearXNG: a search gets its results', {
    skip: searxCommand() === null ? 'searx-run is not installed' : false,
  }, () => {
    const [start = '', check = ''] = blocksOf('searxng', 'sh', 'With a SearXNG of your own');
    const said = machine.run(`outside
mkdir -p "$ROOT/etc/searxng" /etc/searxng; mount --bind "$ROOT/etc/searxng" /etc/searxng
cat > /etc/searxng/settings.yml <<'SETTINGS'
${completeSettings()}
SETTINGS
( ${start.trim()} ) > "$ROOT/searx.log" 2>&1 &
until_up http://127.0.0.1:8888/config "$ROOT/searx.log"
${check}
${commandsOf('searxng', 'Tell the service')}
serve
curl -sS http://localhost:8080/v1/search -H 'content-type: application/json' -d '{"query": "sanderling"}'`);
    assert.match(said, /"engines": \["outside"\]/);
    assert.match(said, /ok +searxng .*answered in \d+ ms with 1 result/);
    assert.match(
      said,
      /"url":"https:\/\/birds\.example\.net\/sanderling".*"searxng":\{"ok":true,"results":1/s,
    );
  });

  test('self-hosting: the server starts, the import is found', () => {
    const [, ...rest] = commandsOf('self-host').split('\n');
    const said = machine.run(`serve\n${rest.join('\n')}\nexit 0`);
    assert.match(said, /"status":"ready"/);
    assert.match(said, /docs\.example\.org/);
  });

  test('coding agent: three clients are set up, a question is answered, and nothing is left behind', () => {
    const [first = '', ...commands] = blocksOf('coding-agent', 'sh');
    const said = machine.run(`serve
if ${first.trim()}; then exit 1; fi
${commands.slice(0, -1).join('')}
cat "$HOME/.claude.json" "$HOME/.cursor/mcp.json" "$HOME/.codex/config.toml" "$HOME/.claude/skills/sanderling/SKILL.md" AGENTS.md
${commands.at(-1)}
ls -d AGENTS.md "$HOME"/.claude* "$HOME"/.cursor "$HOME"/.codex "$HOME"/.agents || true`);
    assert.match(said, /ok +server +http:\/\/localhost:8080\/mcp answers, with \d+ tools/);
    assert.match(said, /"url": "http:\/\/localhost:8080\/mcp"/);
    assert.match(said, /^\[mcp_servers\.sanderling\]\nurl = "http:\/\/localhost:8080\/mcp"/m);
    assert.match(said, /^name: sanderling$/m);
    assert.match(said, /^<!-- sanderling: end -->$/m);
    assert.match(
      said,
      /^Each charge is kept for `LEDGER_DETAIL_DAYS`[\s\S]*https:\/\/docs\.example\.org\/operations\.md#:~:text=/m,
    );
    assert.match(said, /^ok +Claude Code +removed \S+\/\.claude\.json$/m);
    assert.doesNotMatch(
      said.split('removed').at(-1) ?? '',
      /^\S*(?:AGENTS\.md|\.claude|\.cursor|\.codex|\.agents)$/m,
    );
  });

  test('libraries: the dependency of a project is held, and answers at its version', () => {
    const lock = {
      packages: {
        '': { dependencies: { fastify: '^5.0.0' } },
        'node_modules/fastify': { version: '5.1.0' },
      },
    };
    const said = machine.run(`outside
echo 'registry=http://127.10.0.6:8182/' > "$HOME/.npmrc"
mkdir ../shop; echo '${JSON.stringify(lock)}' > ../shop/package-lock.json
serve
${commandsOf('libraries')}
rm "$HOME/.npmrc"`);
    assert.match(said, /^npm:fastify@5\.1\.0: 1 page, 1 from package, MIT/m);
    assert.match(said, /^npm:fastify@5\.1\.0 {2}Hooks$[\s\S]*server\.addHook\("onRequest", check\);/m);
    assert.match(said, /ok +server +http:\/\/localhost:8080\/mcp answers/);
    assert.match(said, /^0 libraries fetched, .*1 unchanged/m);
  });

  test('import formats: the two pages are found, and exported', () => {
    const said = machine.run(`${commandsOf('import-formats')}\ncat export.jsonl`);
    assert.match(said, /https:\/\/docs\.example\.org\/logs\//);
    assert.match(said, /"url":"https:\/\/docs\.example\.org\/birds\/"/);
  });

  test('open packs: what one index publishes, a second one finds', () => {
    const said = machine.run(commandsOf('open-packs'));
    assert.match(said, /^example-docs, version 1: \d\d pages, \d\d new or changed, 0 removed$/m);
    assert.match(said, /^Signed by [\w+/]{43}=$/m);
    assert.match(
      said,
      /^example-docs, version 1: \d\d pages imported, 0 refused, 0 removed, 0 kept as they were$/m,
    );
    assert.match(said, /https:\/\/docs\.example\.org\/operations\.md/);
    assert.match(said, /^example-docs, version 1: 0 pages imported/m);
    assert.match(said, /^example-docs {2}version 1 {2}example-docs {2}my-pack$/m);
  });

  test('repeatable research: a call is recorded, replayed, verified, run again and imported', () => {
    const said = machine.run(`outside
echo METERING=off >> .env
serve
sanderling() { node_modules/.bin/node src/cli.ts "$@"; }
${commandsOf('repeatable-research')}`);
    assert.match(said, /^rec_[0-9a-f]{32} .* contents +https:\/\/example\.org\/$/m);
    assert.match(said, /^same +https:\/\/example\.org\/$/m);
    assert.match(said, /"found":"exact"/);
    assert.match(said, /Nothing has changed\./);
    assert.match(said, /^Wrote record\.tar/m);
    assert.equal(said.match(/^(\d) of \1 citations? verified$/gm)?.length, 2);
  });

  test('several servers: the laptop finds what the team holds', () => {
    const [team = '', laptop = '', ask = ''] = blocksOf('several-servers', 'sh');
    const said = machine.run(`serve
${team}
${laptop.replace('npm start', 'setsid npm start > "$ROOT/laptop.log" 2>&1 &')}
until_up http://localhost:8081/readyz "$ROOT/laptop.log"
# The first searches of a server wait for its threads.
until_found() { for i in $(seq 60); do curl -sS "http://localhost:$1/res/v1/web/search?q=charges+kept" | grep -q operations.md && return; done; exit 1; }
until_found 8080; until_found 8081
${ask}`);
    assert.match(said, /docs\.example\.org\/operations\.md.*"sanderling:team":\{"ok":true/);
    assert.match(said, /^ok +sanderling:team +on, with a key, http:\/\/localhost:8080 .* server answers/m);
  });

  test('nginx with TLS', () => {
    const said = machine.run(`${commandsOf('behind-a-proxy', 'Tell the service')}
serve
${commandsOf('behind-a-proxy', 'nginx')}
${commandsOf('behind-a-proxy', 'Check')}
curl -sS -o /dev/null -w '%{http_code}' https://search.example.org/metrics`);
    assert.match(said, /"status":"ready".*404$/s);
  });

  test('Caddy with TLS, by a certificate at hand', () => {
    const said = machine.run(`${commandsOf('behind-a-proxy', 'Tell the service')}
serve
sed -i 's|^search.example.org {|&\\n\\ttls /etc/ssl/certs/search.example.org.pem /etc/ssl/private/search.example.org.key|' deploy/caddy/Caddyfile
${commandsOf('behind-a-proxy', 'Caddy')}
${commandsOf('behind-a-proxy', 'Check')}
curl -sS -o /dev/null -w '%{http_code}' https://search.example.org/metrics`);
    assert.match(said, /"status":"ready".*404$/s);
  });
});
