import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import packageJson from "../package.json" with { type: "json" };
import { maxStopMilliseconds } from "../src/cli/local-server/machine.ts";
import { parseConfig } from "../src/config/config.ts";

const chart = join(import.meta.dir, "../deploy/helm");
const read = (path: string) => readFileSync(join(chart, path), "utf8");
const templates = readdirSync(join(chart, "templates"));
const values = parse(read("values.yaml"));

/** Whether a path such as `secrets.metricsToken.name` is in values.yaml. Below an empty map anything may be set. */
function isDefined(path: string): boolean {
  let value: unknown = values;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null) return false;
    if (Object.keys(value).length === 0) return true;
    if (!(name in value)) return false;
    value = (value as Record<string, unknown>)[name];
  }
  return true;
}

test("templates use only values that values.yaml has", () => {
  const used = templates.flatMap((name) => [...read(`templates/${name}`).matchAll(/\.Values\.([\w.]+)/g)]);
  expect(used.length).toBeGreaterThan(30);
  expect(used.map(([, path]) => path!).filter((path) => !isDefined(path))).toEqual([]);
  expect(isDefined("service.prot")).toBe(false);
});

test("every value is used", () => {
  const text = templates.map((name) => read(`templates/${name}`)).join("\n");
  expect(Object.keys(values).filter((name) => !text.includes(`.Values.${name}`))).toEqual([]);
});

test("the chart has the version of the package", () => {
  const { version, appVersion } = parse(read("Chart.yaml"));
  expect({ version, appVersion }).toEqual({ version: packageJson.version, appVersion: packageJson.version });
});

test("it sets only settings that the server reads, and creates no secret", () => {
  const text = templates.map((name) => read(`templates/${name}`)).join("\n");
  const names = new Set(text.match(/\bTOLLGATE_[A-Z_]+/g));
  expect([...names.difference(parseConfig({}).names)]).toEqual([]);
  expect(text).not.toMatch(/^kind: Secret$/m);
});

test("nodes are probed at /readyz, drained, and run without root and without writing to their root", () => {
  const text = read("templates/deployment.yaml");
  for (const line of [
    "path: /readyz",
    "runAsNonRoot: true",
    "readOnlyRootFilesystem: true",
    "allowPrivilegeEscalation: false",
    "- name: TOLLGATE_DRAIN_SECONDS\n              value: {{ .Values.drainSeconds | quote }}",
  ])
    expect(text).toContain(line);
  // The server drains itself, with 503 of /readyz.
  expect(text).not.toContain("preStop");
  // With workers, a stop takes longer than with one process.
  expect(values.terminationGracePeriodSeconds).toBeGreaterThan(values.drainSeconds + maxStopMilliseconds / 1000);
});

test("helm renders it, where helm is installed", async () => {
  const helm = Bun.which("helm");
  // docs/kubernetes.md states that the tests cannot install the chart, and what was done instead.
  if (helm === null) return expect(read("../../docs/kubernetes.md")).toContain("The tests cannot install `helm`");
  const child = Bun.spawn([helm, "template", "prod", chart, "--set", "autoscaling.enabled=true"], { stdout: "pipe" });
  const documents = parseAllDocuments(await child.stdout.text());
  expect(await child.exited).toBe(0);
  expect(documents.map((one) => one.toJS().kind)).toContain("HorizontalPodAutoscaler");
});
