import type { Attributes } from './seams.ts';

const durationBucketsSeconds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5, 10, 30, 60];

interface Series {
  readonly labels: string;
  count: number;
  sumSeconds: number;
  readonly buckets: number[];
}

/** Counts requests under upstream's names, for GET /metrics in the text format. */
export class Metrics {
  readonly #requests = new Map<string, Series>();
  readonly #gauges = new Map<string, { readonly help: string; readonly read: () => number }>();

  /** A value that is read when somebody asks. */
  gauge(name: string, help: string, read: () => number): void {
    this.#gauges.set(name, { help, read });
  }

  observe(attributes: Attributes | undefined, code: number, durationMs: number): void {
    const { verb = '', group = '', version = '', resource = '', subresource = '' } = attributes ?? {};
    const key = `${code}|${verb}|${group}|${version}|${resource}|${subresource}`;
    let series = this.#requests.get(key);
    if (!series) {
      const scope = attributes?.name ? 'resource' : attributes?.namespace ? 'namespace' : resource ? 'cluster' : '';
      const labels =
        `code="${code}",component="apiserver",group="${group}",resource="${escaped(resource)}",scope="${scope}",` +
        `subresource="${escaped(subresource)}",verb="${escaped(verb.toUpperCase())}",version="${version}"`;
      series = { labels, count: 0, sumSeconds: 0, buckets: durationBucketsSeconds.map(() => 0) };
      if (this.#requests.size < seriesMax) this.#requests.set(key, series);
    }
    series.count += 1;
    const seconds = durationMs / 1000;
    series.sumSeconds += seconds;
    const index = durationBucketsSeconds.findIndex((limit) => seconds <= limit);
    if (index >= 0) series.buckets[index]! += 1;
  }

  /** The exposition in text format 0.0.4. */
  text(): string {
    const lines = [
      '# HELP apiserver_request_total Counter of apiserver requests',
      '# TYPE apiserver_request_total counter',
    ];
    for (const { labels, count } of this.#requests.values()) lines.push(`apiserver_request_total{${labels}} ${count}`);
    lines.push(
      '# HELP apiserver_request_duration_seconds Response latency distribution in seconds',
      '# TYPE apiserver_request_duration_seconds histogram',
    );
    for (const series of this.#requests.values()) lines.push(...histogram(series));
    for (const [name, { help, read }] of this.#gauges) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${read()}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

/** Bad paths must not fill the memory with series of their own. */
const seriesMax = 5_000;

const escaped = (value: string) => value.replace(/[\\"\n]/g, '_');

function histogram({ labels, buckets, count, sumSeconds }: Series): string[] {
  const name = 'apiserver_request_duration_seconds';
  let below = 0;
  const lines = buckets.map((inBucket, index) => {
    below += inBucket;
    return `${name}_bucket{${labels},le="${durationBucketsSeconds[index]}"} ${below}`;
  });
  lines.push(`${name}_bucket{${labels},le="+Inf"} ${count}`);
  lines.push(`${name}_sum{${labels}} ${sumSeconds}`, `${name}_count{${labels}} ${count}`);
  return lines;
}
