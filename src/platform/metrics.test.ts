import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from './metrics.ts';

test('series of a histogram are cumulative, one for each combination of labels', async () => {
  const metrics = createMetrics();
  const seconds = metrics.histogram('seconds', 'Times', { labels: ['route', 'status'], buckets: [0.1, 1] });
  for (const value of [0.05, 0.1, 0.5, 3]) seconds.observe(value, '/a"b', '200');
  seconds.observe(1, '/a"b', '404');
  const { body } = await metrics.text();
  metrics.close();
  const lines = body.split('\n').filter((line) => line.includes('sanderling_seconds'));
  assert.deepEqual(lines, [
    '# HELP sanderling_seconds Times',
    '# TYPE sanderling_seconds histogram',
    'sanderling_seconds_bucket{le="0.1",route="/a\\"b",status="200"} 2',
    'sanderling_seconds_bucket{le="1",route="/a\\"b",status="200"} 3',
    'sanderling_seconds_bucket{le="+Inf",route="/a\\"b",status="200"} 4',
    'sanderling_seconds_sum{route="/a\\"b",status="200"} 3.65',
    'sanderling_seconds_count{route="/a\\"b",status="200"} 4',
    'sanderling_seconds_bucket{le="0.1",route="/a\\"b",status="404"} 0',
    'sanderling_seconds_bucket{le="1",route="/a\\"b",status="404"} 1',
    'sanderling_seconds_bucket{le="+Inf",route="/a\\"b",status="404"} 1',
    'sanderling_seconds_sum{route="/a\\"b",status="404"} 1',
    'sanderling_seconds_count{route="/a\\"b",status="404"} 1',
  ]);
});
