import { afterAll, beforeAll, describe, expect } from "bun:test";
import { check, checkPages, patienceMs, useConsole } from "../support/console-steps.ts";
import { eventually } from "../support/eventually.ts";
import { type Deployed, deploy } from "../support/project.ts";
import { echoUpstream, versionOf } from "../support/versioned-project.ts";

const steps = useConsole();
const { see, openTab } = steps;
const upstream = echoUpstream();
const place = { project: "shop", branch: "main" };
let deployed: Deployed;

beforeAll(async () => {
  deployed = await deploy(steps.console.server, place, versionOf(upstream, "v1"));
  await deploy(steps.console.server, { ...place, activate: false }, versionOf(upstream, "v2"));
}, patienceMs);
afterAll(() => upstream.stop(true));

const page = () => steps.console.page;
const click = (name: string | RegExp) => page().getByRole("button", { name }).click();
const side = (version: number) => page().getByRole("region", { name: `Version ${version}`, exact: true });

describe("the traffic of a deployment", () => {
  check("a canary release is started, shown side by side, changed, stopped and promoted", async () => {
    await steps.console.show(`/deployments/${deployed.name}`);
    await openTab("Versions");
    await see("No canary release: version 1 serves all requests.");
    await click("Start a canary release…");
    await page().getByLabel("Share of the requests in percent").fill("100");
    await see("Version 1 keeps 0 %.");
    await click("Start the release");
    await side(2).waitFor();
    for (let at = 0; at < 5; at++) expect(await (await deployed.call("/forwarded")).text()).toBe("v2");
    await steps.console.server.runTasks();
    await eventually(() => side(2).innerText()).toMatch(/Canary[\s\S]*100\s?% of requests[\s\S]*Requests\s+5/);
    await eventually(() => side(1).innerText()).toMatch(/Live[\s\S]*0\s?% of requests[\s\S]*No requests yet/);
    await see("Aborted if 5");

    await click("Change shares…");
    await page().getByLabel("Share of the requests in percent").fill("101");
    await see("must be a whole number from 0 to 100");
    await page().getByLabel("Share of the requests in percent").fill("0");
    await click("Change the release");
    await eventually(() => side(2).innerText()).toMatch(/\b0\s?% of requests/);
    expect(await (await deployed.call("/forwarded")).text()).toBe("v1");

    await click("Stop…");
    await click("Stop the release");
    await see(/^No canary release/);
    await see("Last canary release: version 2, stopped");
    await page().getByText("Last canary release").click();
    await page().getByRole("region", { name: "Version 2 of the last release" }).waitFor();
    await click("Start a canary release…");
    await click("Start the release");
    await click("Promote version 2…");
    await click("Promote version 2");
    await see("Last canary release: version 2, promoted");
    expect(await (await deployed.call("/forwarded")).text()).toBe("v2");
  });
});

checkPages(steps, () => [`/deployments/${deployed.name}?tab=versions`]);
