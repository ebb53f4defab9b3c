import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { serveReal } from '../harness.ts';

const FOLDER = join(import.meta.dirname, '../../deploy/observability');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

type Rules = { groups: { rules: { alert: string; expr: string }[] }[] };
type Dashboard = { panels: { title: string; targets?: { expr: string }[] }[] };

const rules = (parse(read('alerts.yaml')) as Rules).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
const expressions = [
  ...rules.map(({ alert, expr }) => ({ place: alert, expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ place: title, expr }))),
];

/** `name{label="value",…}` with the labels; a name before a parenthesis is a function of PromQL. */
const SELECTOR = /\b((?:sanderling|process|nodejs)_\w+)(?:\{([^}]*)\})?/g;
/** Labels that Prometheus adds. */
const ADDED = ['instance', 'job'];

describe('the dashboard and the alerts', () => {
  test('use metrics and labels that a server has', async (t) => {
    const app = await serveReal({ RECALL: 'index,wikipedia', ACCEPT_PROVIDER_TERMS: 'wikipedia' });
    t.after(() => app.close());
    await app.post('/v1/search', { query: 'turnstones', keyless: true });
    const { text } = await app.get('/metrics');
    const declared = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? ''));
    const labelsOf = (name: string): Set<string> => {
      const samples = [...text.matchAll(new RegExp(`^${name}(?:_bucket|_count)?\\{([^}]*)\\}`, 'gm'))];
      return new Set(
        samples.flatMap(([, labels = '']) =>
          [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label ?? ''),
        ),
      );
    };
    let checked = 0;
    for (const { place, expr } of expressions)
      for (const [, name = '', labels = ''] of expr.matchAll(SELECTOR)) {
        const family = declared.has(name) ? name : name.replace(/_(?:bucket|count|sum)$/, '');
        assert.ok(declared.has(family), `${place}: no metric is called ${name}`);
        for (const [, label = ''] of labels.matchAll(/(\w+)=/g)) {
          if (ADDED.includes(label)) continue;
          assert.ok(labelsOf(family).has(label), `${place}: ${name} has no label ${label}`);
          checked += 1;
        }
      }
    assert.ok(checked > 5);
  });

  const isMissing = spawnSync('promtool', ['--version']).error !== undefined;
  const skip = isMissing && process.env.CI === undefined ? 'promtool is not installed' : false;

  test('alerts fire for each fault, and for nothing else', { skip }, async () => {
    await promisify(execFile)('promtool', ['check', 'rules', 'alerts.yaml'], { cwd: FOLDER });
    await promisify(execFile)('promtool', ['test', 'rules', 'alerts-checked.yaml'], { cwd: FOLDER });
    // Every alert is among those that the test provokes.
    const provoked = [...read('alerts-checked.yaml').matchAll(/alertname="(\w+)"/g)].map(([, name]) => name);
    assert.deepEqual(provoked.sort(), rules.map(({ alert }) => alert).sort());
  });
});
