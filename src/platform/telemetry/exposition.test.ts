import { expect, test } from "bun:test";
import packageJson from "../../../package.json" with { type: "json" };
import { exposition, type Metric, type Sample } from "./exposition.ts";
import { Histogram } from "./histogram.ts";

const named = { withNames: true };

test("names, help, type, labels and values are in the format of Prometheus", () => {
  const metric: Metric = {
    name: "series",
    help: "One\nline with a \\.",
    type: "gauge",
    samples: (): Sample[] => [
      { labels: {}, value: 0.25 },
      { labels: { path: 'a "b" \\ c\nd', status: 200 }, value: 1e21 },
      { labels: {}, value: Number.POSITIVE_INFINITY },
      { labels: {}, value: Number.NaN },
    ],
  };
  expect(exposition([metric], named)).toBe(
    [
      "# HELP series One\\nline with a \\\\.",
      "# TYPE series gauge",
      "series 0.25",
      'series{path="a \\"b\\" \\\\ c\\nd",status="200"} 1e+21',
      "series +Inf",
      "series NaN",
      "\n",
    ].join("\n"),
  );
});

test("a histogram's buckets are cumulative, a value on a bound counts below it, and a larger one is in +Inf", () => {
  const histogram = new Histogram("size", "Sizes.", [1, 2], "kind");
  for (const value of [1, 1.5, 7]) histogram.observe("a", value);
  expect(exposition([histogram], named).split("\n").slice(2, 7)).toEqual([
    'size_bucket{le="1",kind="a"} 1',
    'size_bucket{le="2",kind="a"} 2',
    'size_bucket{le="+Inf",kind="a"} 3',
    'size_sum{kind="a"} 9.5',
    'size_count{kind="a"} 3',
  ]);
  histogram.forget("a");
  expect(exposition([histogram], named)).toBe("# HELP size Sizes.\n# TYPE size histogram\n\n");
});

test("a histogram without a label starts at zero", () => {
  expect(exposition([new Histogram("lag", "Lags.", [1])], named)).toContain(
    'lag_bucket{le="+Inf"} 0\nlag_sum 0\nlag_count 0\n',
  );
});

test("no library writes further metrics", () => {
  expect(Object.keys(packageJson.dependencies)).not.toContain("prom-client");
});

test("without names, series that differ only in them are merged", () => {
  const requests: Metric = {
    name: "requests",
    help: "Requests.",
    type: "counter",
    names: ["deployment", "route"],
    samples: () => [
      { labels: { deployment: "shop", route: "/a", status: 200 }, value: 2 },
      { labels: { deployment: "shop", route: "/b", status: 200 }, value: 3 },
      { labels: { deployment: "blog", route: "/a", status: 404 }, value: 4 },
    ],
  };
  const expiry: Metric = {
    name: "expiry",
    help: "Expiry.",
    type: "gauge",
    names: ["name"],
    samples: () => [
      { labels: { name: "one.example" }, value: 9 },
      { labels: { name: "two.example" }, value: 8 },
    ],
  };
  const lines = exposition([requests, expiry], { withNames: false }).split("\n");
  expect(lines.filter((line) => line !== "" && !line.startsWith("#"))).toEqual([
    'requests{status="200"} 5',
    'requests{status="404"} 4',
    "expiry 8",
  ]);
});
