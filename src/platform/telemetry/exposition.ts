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
  /** Called at each scrape. */
  samples(): Iterable<Sample>;
}

export function exposition(metrics: Iterable<Metric>): string {
  let text = "";
  for (const metric of metrics) {
    const { name, help, type } = metric;
    text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
    for (const { suffix = "", labels, value } of metric.samples())
      text += `${name}${suffix}${labelText(labels)} ${valueText(value)}\n`;
    text += "\n";
  }
  return text;
}

function labelText(labels: Sample["labels"]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function valueText(value: number): string {
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
