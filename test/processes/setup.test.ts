import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { programPath } from '../fixtures/program.ts';
import { startWeb } from '../fixtures/web.ts';
import { type RealServed, serveReal } from '../harness.ts';
import { type Ended, runCli } from './run-cli.ts';

/** Somebody connects the coding agents of a machine; each test has a home of its own, and a project in it. */

const isLinux = process.platform === 'linux';
const ZED = `// Mine, do not touch.
{
  "theme": "Ayu", // dark
  "context_servers": {
    "other": { "url": "https://other.example/mcp", "headers": { "Authorization": "Bearer other-secret-0123456789" } },
  },
}
`;
const CODEX = `model = "o1" # why\n\n[mcp_servers.other]\ncommand = "x"\n`;

let served: RealServed;
let key: string;
/** An address where nothing listens. */
let absent: string;
let home: string;
before(async () => {
  served = await serveReal();
  const web = await startWeb({});
  absent = web.origin;
  await web.close();
  key = (await served.billing.keys.create({ credits: 5, label: null })).apiKey;
});
after(() => served.close());
const put = (path: string, text: string, mode = 0o644): void => {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text, { mode });
};
const read = (path: string): string => readFileSync(join(home, path), 'utf8');
const readJson = (path: string): Record<string, unknown> => JSON.parse(read(path));

/** Every file below the home with its mode and content, but setup's own notes. */
function snapshot(): Record<string, string> {
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    files
      .filter((path) => !path.startsWith('.local'))
      .map((path) => {
        const found = statSync(join(home, path));
        return [path, `${found.mode.toString(8)} ${found.isFile() ? read(path) : ''}`];
      }),
  );
}

const setup = (args: string[], settings: Record<string, string> = {}): Promise<Ended> =>
  runCli(join(home, 'project'), ['setup', ...args], {
    HOME: home,
    DATA_DIR: join(home, 'data'),
    ...settings,
  });
const setupHere = (...args: string[]): Promise<Ended> => setup(['--url', served.address, '--yes', ...args]);

describe('sanderling setup', () => {
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'sanderling-home-'));
    mkdirSync(join(home, 'project'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  test('enters every client that is installed, once, and undoes it byte for byte', {
    skip: !isLinux,
  }, async () => {
    put('.claude.json', '{"numStartups":3}', 0o600);
    put('.config/Claude/claude_desktop_config.json', '{}');
    put('.cursor/argv.json', '{}');
    put('.config/Code/User/settings.json', '{}');
    put('.codex/config.toml', CODEX, 0o640);
    put('.gemini/settings.json', '{\r\n\t"theme": "x"\r\n}\r\n');
    put('.config/zed/settings.json', ZED);
    put('.codeium/windsurf/mcp_config.json', '');
    const before = snapshot();

    const { code, out, err } = await setupHere('--key', key);
    assert.deepEqual([code, err], [0, '']);
    assert.ok(!out.includes(key) && !out.includes('other-secret'));
    assert.match(out, /^ok +server +\S+\/mcp answers, with \d+ tools$/m);
    assert.match(out, /warning Codex .*other users of this machine may read the key in it \(mode 640\)/);

    const url = `${served.address}/mcp`;
    const headers = { Authorization: `Bearer ${key}` };
    assert.deepEqual(readJson('.claude.json'), {
      mcpServers: { sanderling: { type: 'http', url, headers } },
      numStartups: 3,
    });
    const desktop = readJson('.config/Claude/claude_desktop_config.json') as {
      mcpServers: { sanderling: { command: string; args: string[]; env: unknown } };
    };
    assert.deepEqual(desktop.mcpServers.sanderling.args.slice(1), ['mcp', '--url', served.address]);
    assert.deepEqual(desktop.mcpServers.sanderling.env, { SANDERLING_API_KEY: key });
    assert.deepEqual(readJson('.cursor/mcp.json'), { mcpServers: { sanderling: { url, headers } } });
    assert.deepEqual(readJson('.config/Code/User/mcp.json'), {
      servers: { sanderling: { type: 'http', url, headers } },
    });
    assert.equal(
      read('.codex/config.toml'),
      `${CODEX}\n[mcp_servers.sanderling]\nurl = "${url}"\nhttp_headers = { "Authorization" = "Bearer ${key}" }\n`,
    );
    assert.deepEqual(readJson('.gemini/settings.json'), {
      mcpServers: { sanderling: { httpUrl: url, headers } },
      theme: 'x',
    });
    assert.equal(
      read('.config/zed/settings.json'),
      ZED.replace(
        '"context_servers": {\n',
        `"context_servers": {\n    "sanderling": {\n      "url": "${url}",\n      "headers": {\n        "Authorization": "Bearer ${key}"\n      }\n    },\n`,
      ),
    );
    assert.deepEqual(readJson('.codeium/windsurf/mcp_config.json'), {
      mcpServers: { sanderling: { serverUrl: url, headers } },
    });
    assert.equal(statSync(join(home, '.cursor/mcp.json')).mode & 0o777, 0o600);
    assert.equal(statSync(join(home, '.local/state/sanderling/setup.json')).mode & 0o777, 0o600);
    for (const skills of ['.claude', '.cursor', '.copilot', '.agents', '.gemini', '.codeium/windsurf'])
      assert.match(
        read(`${skills}/skills/sanderling/SKILL.md`),
        /^---\nname: sanderling\ndescription: .{1,1024}\n---\n/,
      );

    const once = snapshot();
    const again = await setupHere('--key', key);
    assert.equal(again.code, 0);
    assert.equal(again.out.match(/is set up already/g)?.length, 8);
    assert.deepEqual(snapshot(), once);

    assert.equal((await setupHere('--remove')).code, 0);
    assert.deepEqual(snapshot(), before);
    assert.ok(!existsSync(join(home, '.local/state/sanderling')));
  });

  test('in a pipe it shows the changes and writes nothing', async () => {
    put('.cursor/mcp.json', '{}');
    const before = snapshot();
    const { code, out, err } = await setup(['--url', served.address]);
    assert.equal(code, 1);
    assert.match(out, /^\+ {5}"sanderling": \{$/m);
    assert.equal(err, 'Nothing was written. Add --yes to write these changes.\n');
    assert.deepEqual(snapshot(), before);
  });

  test('on a terminal it asks', { skip: !isLinux || spawnSync('script', ['--version']).status !== 0 }, () => {
    put('.cursor/mcp.json', '{}');
    const program = `'${process.execPath}' '${programPath()}' setup cursor --url ${absent}`;
    const answer = (text: string): string =>
      spawnSync('script', ['-qec', program, '/dev/null'], {
        cwd: join(home, 'project'),
        env: { PATH: process.env.PATH, HOME: home, RECALL: 'index' },
        input: text,
        encoding: 'utf8',
      }).stdout;
    assert.match(answer('n\n'), /Write these changes\? \[y\/N\] [\s\S]*Nothing was written/);
    assert.equal(read('.cursor/mcp.json'), '{}');
    assert.match(answer('y\n'), /changed .*\.cursor\/mcp\.json/);
    assert.match(read('.cursor/mcp.json'), /sanderling/);
  });

  test('a broken file is refused and left alone, others are written', async () => {
    put('.cursor/mcp.json', '{ "mcpServers": {\n');
    put('.codex/config.toml', 'model = \n');
    put('.gemini/settings.json', '{}');
    const { code, out } = await setupHere('cursor', 'codex', 'gemini');
    assert.equal(code, 1);
    assert.match(
      out,
      /FAILURE Cursor +\S+mcp\.json cannot be edited: line 2: unexpected end\. Nothing in it was changed\./,
    );
    assert.match(out, /FAILURE Codex +\S+config\.toml cannot be edited: line 1: /);
    assert.equal(read('.cursor/mcp.json'), '{ "mcpServers": {\n');
    assert.equal(read('.codex/config.toml'), 'model = \n');
    assert.match(read('.gemini/settings.json'), /sanderling/);
  });

  test('a read-only file system is a clear error', {
    skip:
      spawnSync('unshare', ['--mount', 'true']).status !== 0 ? 'needs root for a mount of its own' : false,
  }, () => {
    put('.cursor/mcp.json', '{}');
    const script = `mount --bind "$HOME/.cursor" "$HOME/.cursor" && mount -o remount,bind,ro "$HOME/.cursor" && exec '${process.execPath}' '${programPath()}' setup cursor --yes --url ${absent}`;
    const { status, stdout } = spawnSync('unshare', ['--mount', 'sh', '-c', script], {
      cwd: join(home, 'project'),
      env: { PATH: process.env.PATH, HOME: home, RECALL: 'index' },
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.match(stdout, /FAILURE Cursor +\S+\.cursor\/mcp\.json: it is on a read-only file system\./);
    assert.equal(read('.cursor/mcp.json'), '{}');
    assert.deepEqual(readdirSync(join(home, '.cursor')), ['mcp.json']);
  });

  test('a path that is no folder is a clear error', async () => {
    put('.cursor', 'a file');
    const { code, out } = await setupHere('cursor');
    assert.equal(code, 1);
    assert.match(out, /FAILURE Cursor +\S+mcp\.json: a part of its path is not a folder\./);
  });

  test('an unknown key and an absent server are said', async () => {
    const wrong = await setupHere('cursor', '--key', 'sdl_not_a_key_of_this_server');
    assert.equal(wrong.code, 1);
    assert.match(wrong.out, /FAILURE server .*invalid_api_key/);
    const gone = await setup(['cursor', '--yes', '--url', absent]);
    assert.equal(gone.code, 1);
    assert.match(
      gone.out,
      /warning server +\S+\/mcp does not answer yet: connect ECONNREFUSED .*Start the server \(npm start\)/,
    );
  });

  test('--stdio enters the command, which answers from the index here', async () => {
    const { code, out } = await setup(['cursor', '--yes', '--stdio']);
    assert.equal(code, 0, out);
    assert.match(out, /ok +server +sanderling mcp answers, with \d+ tools/);
    const { mcpServers } = readJson('.cursor/mcp.json') as {
      mcpServers: { sanderling: { args: string[]; env: unknown } };
    };
    assert.equal(mcpServers.sanderling.args.at(-1), 'mcp');
    assert.deepEqual(mcpServers.sanderling.env, { DATA_DIR: join(home, 'data') });
  });

  test('--project writes into the project, without a key, and --agents-md into AGENTS.md', async () => {
    put('project/AGENTS.md', '# Ours');
    const before = snapshot();
    const refused = await setupHere('vscode', '--project', '--key', key);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /no key goes into them/);
    const { code } = await setup(
      ['vscode', 'claude-code', '--project', '--agents-md', '--yes', '--url', served.address],
      { SANDERLING_API_KEY: key },
    );
    assert.equal(code, 0);
    const url = `${served.address}/mcp`;
    assert.deepEqual(readJson('project/.vscode/mcp.json'), {
      servers: { sanderling: { type: 'http', url } },
    });
    assert.deepEqual(readJson('project/.mcp.json'), { mcpServers: { sanderling: { type: 'http', url } } });
    assert.ok(existsSync(join(home, 'project/.claude/skills/sanderling/SKILL.md')));
    assert.match(
      read('project/AGENTS.md'),
      /^# Ours\n\n<!-- sanderling: begin -->\n[\s\S]*<!-- sanderling: end -->\n$/,
    );
    const none = await setupHere('windsurf', '--project');
    assert.match(none.out, /FAILURE Windsurf +it has no settings for one project/);
    await setupHere('vscode', 'claude-code', '--project', '--agents-md', '--remove');
    assert.deepEqual(snapshot(), before);
  });

  test('clients that are not installed leave no folder behind', async () => {
    const before = snapshot();
    const names = ['zed', 'vscode', 'cursor', 'windsurf'];
    assert.equal((await setupHere(...names)).code, 0);
    assert.equal((await setupHere(...names, '--remove')).code, 0);
    assert.deepEqual(snapshot(), before);
  });

  test('no client, and a client that does not exist, are said', async () => {
    const { code, err } = await setupHere();
    assert.equal(code, 1);
    assert.match(err, /^No client was found\. Name one: claude-code, /);
    assert.match((await setupHere('emacs')).err, /Allowed choices are claude-code, /);
  });
});
