/** The Prometheus text format, version 0.0.4. */
export const contentType = "text/plain; version=0.0.4; charset=utf-8";

export interface Sample {
  /** Appended to the metric's name: `_bucket`, `_sum` and `_count` of a histogram. */
  suffix?: string;
  labels: Record<string, string | number>;
  value: number;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Labels that identify a customer's resource. */
  readonly names?: readonly string[];
  /** Called at each scrape. */
  samples(): Iterable<Sample>;
}

/**
 * Without `names`, series that differ only in those labels are merged: counters into their sum, gauges into the
 * minimum.
 */
export function exposition(metrics: Iterable<Metric>, options: { withNames: boolean }): string {
  let text = "";
  for (const metric of metrics) {
    const { name, help, type } = metric;
    text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
    const samples = metric.names && !options.withNames ? totals(metric, metric.names) : metric.samples();
    for (const { suffix = "", labels, value } of samples)
      text += `${name}${suffix}${labelText(labels)} ${valueText(value)}\n`;
    text += "\n";
  }
  return text;
}

function totals(metric: Metric, names: readonly string[]): Iterable<Sample> {
  const series = new Map<string, Sample>();
  const combine = metric.type === "gauge" ? Math.min : (one: number, other: number) => one + other;
  for (const sample of metric.samples()) {
    const labels = { ...sample.labels };
    for (const name of names) delete labels[name];
    const key = `${sample.suffix ?? ""}${labelText(labels)}`;
    const known = series.get(key);
    if (known) known.value = combine(known.value, sample.value);
    else series.set(key, { ...sample, labels });
  }
  return series.values();
}

function labelText(labels: Sample["labels"]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

export function valueText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
