/** Counts of observed values in buckets, for one combination of labels. */
type Series = { observe(value: number): void };

/** A histogram whose series are looked up once; a request then costs an addition, not a hash of its labels. */
export type LabelledHistogram = {
  /** Returns the series of these label values, given in the order of the labels. */
  of(...values: string[]): Series;
  /** Returns all series as in the text format of Prometheus: cumulative buckets, sum and count. */
  values(): SeriesValue[];
};

type SeriesValue = { metricName: string; labels: Record<string, string | number>; value: number };
type Counts = { labels: Record<string, string>; counts: Float64Array; sum: number };

/** Maximum series; further combinations of labels are not counted. */
const SERIES_MAX = 10_000;
const UNCOUNTED: Series = { observe() {} };

export function createLabelledHistogram(
  name: string,
  { labels, buckets }: { labels: readonly string[]; buckets: readonly number[] },
): LabelledHistogram {
  const known = new Map<string, Counts & Series>();
  const create = (values: string[]): Counts & Series => {
    const counts = new Float64Array(buckets.length + 1);
    const named = labels.map((label, place): [string, string] => [label, values[place] ?? '']);
    const series = {
      labels: Object.fromEntries(named),
      counts,
      sum: 0,
      observe(value: number): void {
        let place = 0;
        while (place < buckets.length && value > (buckets[place] ?? 0)) place += 1;
        counts[place] = (counts[place] ?? 0) + 1;
        series.sum += value;
      },
    };
    return series;
  };
  return {
    of(...values) {
      const key = values.join('\n');
      const found = known.get(key);
      if (found !== undefined) return found;
      if (known.size >= SERIES_MAX) return UNCOUNTED;
      const created = create(values);
      known.set(key, created);
      return created;
    },
    values: () => [...known.values()].flatMap((series) => buildSeriesValues(name, buckets, series)),
  };
}

function buildSeriesValues(
  name: string,
  buckets: readonly number[],
  { labels, counts, sum }: Counts,
): SeriesValue[] {
  let count = 0;
  const cumulative = [...buckets, '+Inf'].map((le, place): SeriesValue => {
    count += counts[place] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...cumulative,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
