import { valueText } from "./exposition.ts";

/** How the series of several processes become one: the sum, unless the metric is in the list. */
interface MergeRules {
  /** Gauges whose smallest value counts. */
  minimum: readonly string[];
}

/** Merges the metrics of several processes in the text format. The first text decides the order. */
export function mergedExpositions(texts: readonly string[], { minimum }: MergeRules): string {
  const metrics = new Map<string, { head: string[]; series: Map<string, number> }>();
  for (const text of texts) {
    let current: { head: string[]; series: Map<string, number> } | undefined;
    let name = "";
    for (const line of text.split("\n")) {
      if (line === "") continue;
      if (line.startsWith("# ")) {
        name = line.split(" ", 3)[2]!;
        current = metrics.get(name) ?? { head: [], series: new Map() };
        metrics.set(name, current);
        if (!current.head.includes(line)) current.head.push(line);
        continue;
      }
      const end = line.lastIndexOf(" ");
      const key = line.slice(0, end);
      const value = Number(line.slice(end + 1).replace("Inf", "Infinity"));
      const known = current!.series.get(key);
      const merged = minimum.includes(name) ? Math.min(known ?? value, value) : (known ?? 0) + value;
      current!.series.set(key, merged);
    }
  }
  return [...metrics.values()].map(({ head, series }) => textOf(head, series)).join("");
}

function textOf(head: string[], series: Map<string, number>): string {
  const lines = [...series].map(([key, value]) => `${key} ${valueText(value)}`);
  return `${[...head, ...lines].join("\n")}\n\n`;
}
