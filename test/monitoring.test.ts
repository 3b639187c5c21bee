import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sqlite } from "./support/engines.ts";
import { findChecker } from "./support/find-checker.ts";
import { useServer } from "./support/server.ts";

const folder = join(import.meta.dir, "../deploy");
const rules = readFileSync(join(folder, "prometheus-rules.yml"), "utf8");
const dashboard = JSON.parse(readFileSync(join(folder, "grafana-dashboard.json"), "utf8")) as {
  panels: { id: number; title: string; targets: { expr: string }[] }[];
};

const server = useServer(sqlite);

/** The names that queries may use: a histogram has three series. */
async function metricNames(): Promise<Set<string>> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  return new Set(
    types.flatMap(([, name, type]) =>
      type === "histogram" ? ["bucket", "sum", "count"].map((suffix) => `${name}_${suffix}`) : [name!],
    ),
  );
}

const namesIn = (text: string) => new Set([...text.matchAll(/\b(?:tollgate|process)_\w+/g)].map(([name]) => name));

test("every metric of the dashboard and of the alerts exists", async () => {
  const exposed = await metricNames();
  const shown = namesIn(dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join("\n"));
  const alerted = namesIn(rules);
  expect([...shown].filter((name) => !exposed.has(name))).toEqual([]);
  expect([...alerted].filter((name) => !exposed.has(name))).toEqual([]);
});

test("the dashboard shows every metric, of a histogram at least one series", async () => {
  const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join("\n");
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const names = [...text.matchAll(/^# TYPE (tollgate_\w+) /gm)].map(([, name]) => name!);
  expect(names.filter((name) => !shown.includes(name))).toEqual([]);
});

test("monitoring.md explains every metric, and no other", async () => {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const exposed = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!);
  const page = readFileSync(join(folder, "../docs/monitoring.md"), "utf8");
  const explained = [...page.matchAll(/^\| (`(?:tollgate|process)_[^|]+)\|/gm)].flatMap(([, cell]) => [
    ...namesIn(cell!),
  ]);
  expect(explained.toSorted()).toEqual(exposed.toSorted());
});

test("every panel has a title, a query and a unique id", () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, targets } of panels) expect([title, targets.length > 0]).toEqual([title, true]);
});

test("promtool accepts the rules", async () => {
  const check = Bun.spawn([findChecker("promtool"), "check", "rules", join(folder, "prometheus-rules.yml")], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, status] = await Promise.all([check.stdout.text(), check.stderr.text(), check.exited]);
  expect({ status, errors }).toEqual({ status: 0, errors: "" });
  expect(output).toContain("19 rules found");
});
