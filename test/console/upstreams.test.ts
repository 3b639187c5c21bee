import { afterAll, beforeAll, describe, expect } from "bun:test";
import { check, checkPages, patienceMs, useConsole } from "../support/console-steps.ts";
import { eventually } from "../support/eventually.ts";
import { type Deployed, deploy, openApi } from "../support/project.ts";
import { TestTarget } from "../support/target.ts";

const steps = useConsole();
const { see, openTab, rows } = steps;
let targets: TestTarget[] = [];
let deployed: Deployed;

beforeAll(async () => {
  targets = await Promise.all(["one", "two"].map((name) => TestTarget.start(name)));
  targets[1]!.health = 503;
  deployed = await deploy(
    steps.console.server,
    { project: "shop", branch: "main" },
    {
      "openapi.json": openApi({ "/orders": {}, "/plain": { "x-tollgate": { upstream: "http://127.0.0.1:1" } } }),
      "tollgate.json": {
        upstream: {
          targets: targets.map(({ url }) => ({ url })),
          balance: "least-requests",
          health: { path: "/health", intervalSeconds: 1, unhealthyAfter: 1 },
          retries: {},
        },
      },
    },
  );
}, patienceMs);
afterAll(() => Promise.all(targets.map((target) => target.stop())));

describe("the upstreams of a deployment", () => {
  check("show which targets get requests, and why one does not", async () => {
    await steps.console.show(`/deployments/${deployed.name}`);
    await openTab("Settings");
    await see("Unhealthy");
    await see("least requests");
    await eventually(() => rows(`Targets of ${targets[0]!.url}`)).toEqual([
      expect.stringContaining("Up"),
      expect.stringContaining("503"),
    ]);
    await eventually(async () => (await rows("Targets of http://127.0.0.1:1"))[0]).toContain("Unchecked");
  });
});

checkPages(steps, () => [`/deployments/${deployed.name}?tab=settings`]);
