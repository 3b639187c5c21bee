import { afterAll, beforeAll, describe, expect } from "bun:test";
import { basename, join } from "node:path";
import type { Locator } from "playwright-core";
import { type BusyAccount, fillAccount } from "../support/busy-account.ts";
import { check, checkPages, patienceMs, useConsole } from "../support/console-steps.ts";
import { eventually } from "../support/eventually.ts";
import { deploy, openApi, projectArchive } from "../support/project.ts";
import { tableContent } from "../support/table-content.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { addFilter } from "../support/use-console.ts";

const soon = { withinMs: patienceMs / 2 };
const steps = useConsole();
const { see, press, pressInDialog, type, choose, openTab, rows } = steps;

let busy: BusyAccount;
beforeAll(async () => {
  busy = await fillAccount(steps.console.server);
}, patienceMs);
afterAll(() => busy?.stop());

const show = (search: string) => steps.console.visit(`/deployments/${busy.deployed.name}${search}`);
const variables = "/v1/accounts/default/projects/orders/variables";

/** The curl command or CLI command that the open dialog copies. */
async function copied(item: "Copy as curl" | "Copy as command"): Promise<string> {
  const { page } = steps.console;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate('navigator.clipboard.writeText("")');
  await pressInDialog("Copy as…");
  await page.getByRole("menuitem", { name: item }).click();
  const read = async () => (await page.evaluate("navigator.clipboard.readText()")) as string;
  await until(async () => (await read()) !== "", soon);
  return read();
}

describe("a deployment", () => {
  check("shows its traffic, percentiles and statuses", async () => {
    await show("?range=week");
    await see("Requests by outcome");
    await eventually(async () => {
      const counts = (await rows("Requests by outcome")).map((row) => row.split("\t").slice(1, 4).map(Number));
      return counts.flat().reduce((sum, count) => sum + count, 0);
    }).toBe(busy.requests);
    await eventually(async () => (await rows("Response time")).some((row) => /ms\t.*ms\t.*ms/.test(row))).toBe(true);
    await see("p95");
    await eventually(() => steps.console.page.getByText("401", { exact: true }).count()).toBe(1);
  });

  check("shows a route with its chain of policies, their options and its traffic", async () => {
    await openTab("Routes");
    await steps.console.page.getByRole("link", { name: "GET /orders" }).click();
    await see("Policies, in their order");
    await see('"bucket": "main"');
    await see('"windowSeconds": 60');
    await eventually(() => steps.console.page.url()).toContain("route=GET");
    await steps.console.page.goBack();
    await until(async () => (await steps.console.page.getByText("Policies, in their order").count()) === 0, soon);
  });

  check("compares two versions", async () => {
    await openTab("Versions");
    await choose("Compare version", "1");
    await choose("With version", "2");
    await press("Compare");
    await see("Version 1 → version 2");
    await see("GET /invoices");
    await see("is added");
    const added = steps.console.page.locator('.diff-line[data-kind="added"]', { hasText: '"path": "/invoices"' });
    await eventually(() => added.count()).toBe(1);
    const document = steps.console.page.getByRole("region", { name: "Document" });
    await eventually(() =>
      document.locator('.diff-line[data-kind="added"]', { hasText: '"/invoices": {' }).count(),
    ).toBe(1);
    await eventually(() => steps.console.page.url()).toContain("from=");
  });

  check("shows the effect of a roll-back", async () => {
    await press("Roll back to 1");
    await see("takes its place without losing a request");
    await see("goes away");
    await pressInDialog("Cancel");
  });

  check("has variables: plain ones and secrets", async () => {
    await openTab("Settings");
    await see("No variables yet");
    await press("Set variable");
    await type("Name", "REGION");
    await type("Value", "eu-west-1");
    expect(await copied("Copy as command")).toBe("tollgate variables set REGION eu-west-1 --project orders");
    expect(await copied("Copy as curl")).toContain(`-X PUT ${steps.console.server.url}${variables}/REGION`);
    await pressInDialog("Set variable");
    await see("eu-west-1");

    await press("Set variable");
    await type("Name", "REGION");
    await see("REGION exists already. Setting it replaces its value.");
    steps.console.errors.expect(400);
    await type("Name", "upstream-token");
    await pressInDialog("Set variable");
    await see(/^must be 1 to 128 letters/);
    await type("Name", "UPSTREAM_TOKEN");
    await steps.console.page.getByLabel(/^Secret/).check();
    steps.console.errors.expect(400);
    await type("Value", "short");
    await pressInDialog("Set variable");
    await see(/must have at least 8 characters/);
    await type("Value", "a-long-credential");
    expect(await copied("Copy as command")).toBe("tollgate variables set UPSTREAM_TOKEN --project orders --secret");
    expect(await copied("Copy as curl")).not.toContain("a-long-credential");
    await pressInDialog("Set variable");
    await see("Secret, never shown");
    await eventually(() => steps.console.page.getByText("a-long-credential").count()).toBe(0);
    const { body } = await steps.console.server.client.get(variables);
    expect(body.data.map(({ name, environments }: Record<string, unknown>) => [name, environments])).toEqual([
      ["REGION", ["production", "preview"]],
      ["UPSTREAM_TOKEN", ["production"]],
    ]);
  });

  check("changes a variable unless it changed concurrently, and deletes one", async () => {
    await press("Actions of REGION");
    await steps.console.page.getByRole("menuitem", { name: "Edit" }).click();
    const elsewhere = JSON.stringify({ value: "us-east-1" });
    await steps.console.server.client.raw("PUT", `${variables}/REGION`, elsewhere);
    steps.console.errors.expect(412);
    await type("Value", "eu-north-1");
    await pressInDialog("Save");
    await see("This was changed by another user");
    await press("Take theirs");
    await until(async () => (await steps.console.page.getByLabel("Value").inputValue()) === "us-east-1", soon);
    await type("Value", "eu-north-1");
    await pressInDialog("Save");
    await see("eu-north-1");
    await press("Actions of UPSTREAM_TOKEN");
    await steps.console.page.getByRole("menuitem", { name: "Delete" }).click();
    await see(/respond with 503 from now on/);
    expect(await copied("Copy as command")).toBe("tollgate variables delete UPSTREAM_TOKEN --project orders");
    await press("Delete UPSTREAM_TOKEN");
    await until(async () => (await rows("Variables of orders")).length === 1, soon);
  });
});

describe("a project", () => {
  const operation = { "x-tollgate": { upstream: "http://127.0.0.1:9", policies: [] } };

  /** A folder with a route, and with files that must not be uploaded. */
  const projectFolder = async (route: string) => {
    const folder = await temporaryFolder("dropped");
    const files: Record<string, unknown> = {
      "openapi.json": openApi({ [route]: operation }),
      "package.json": { dependencies: { zod: "4" } },
      "modules/unused.ts": "export default () => new Response();",
      "node_modules/zod/index.js": "left behind",
      ".env": "SECRET=left-behind",
    };
    for (const [path, content] of Object.entries(files))
      await Bun.write(join(folder.path, path), typeof content === "string" ? content : JSON.stringify(content));
    return folder;
  };

  /** Drops files in the middle of an element, as from a file manager. */
  const drop = async (path: string, at: Locator) => {
    const { x, y, width, height } = (await at.boundingBox())!;
    const session = await steps.console.page.context().newCDPSession(steps.console.page);
    for (const type of ["dragEnter", "dragOver", "drop"] as const)
      await session.send("Input.dispatchDragEvent", {
        type,
        x: x + width / 2,
        y: y + height / 2,
        data: { items: [], files: [path], dragOperationsMask: 1 },
      });
    await session.detach();
  };

  /** The last uploaded archive, as text. */
  const uploaded = async () => {
    const chunks = await tableContent(steps.console.server.database, "deployment_source_chunks");
    return new TextDecoder().decode(Bun.gunzipSync(Buffer.from(chunks.at(-1)!.data as Uint8Array)));
  };

  check("is deployed by dropping its folder on the page, or on the dialog", async () => {
    const { page } = steps.console;
    const folder = await projectFolder("/dropped");
    await show("");
    await drop(folder.path, page.getByRole("heading", { level: 1 }));
    await see(`${basename(folder.path)}, packed:`);
    await see("cannot bundle npm packages: zod stays behind with node_modules");
    await pressInDialog("Cancel");
    await press("Deploy…");
    await drop(folder.path, page.locator(".drop"));
    await see(`${basename(folder.path)}, packed:`);
    await pressInDialog("Deploy");
    await see("orders is live");
    await openTab("Routes");
    await see("GET /dropped");
    const sent = await uploaded();
    expect(sent).toContain("modules/unused.ts");
    expect(sent.toLowerCase()).not.toContain("left");
    await folder.remove();
  });

  check("is deployed from its folder, which cannot bundle npm packages", async () => {
    const { page } = steps.console;
    const folder = await projectFolder("/from-a-folder");
    await show("");
    await press("Deploy…");
    await page.getByLabel("Folder", { exact: true }).setInputFiles(folder.path);
    await see("cannot bundle npm packages: zod stays behind with node_modules");
    await see(/^npx esbuild /);
    const name = basename(folder.path);
    expect(await copied("Copy as command")).toBe(`tollgate deploy ${name} --project orders --branch main`);
    expect(await copied("Copy as curl")).toMatch(
      /^curl -T project.tar.gz .*"\$\(curl -s -X POST .*\/v1\/deployments\/sources/,
    );
    await pressInDialog("Deploy");
    await see("orders is live");
    await openTab("Routes");
    await see("GET /from-a-folder");
    const sent = await uploaded();
    expect(sent).toContain("/from-a-folder");
    expect(sent.toLowerCase()).not.toContain("left");
    await folder.remove();
  });

  check("reports the end of a hidden build without leaving the current page", async () => {
    const { page } = steps.console;
    // With a package, as `tollgate pack` writes it.
    const packed = {
      "openapi.json": openApi({ "/hidden": { "x-tollgate": { handler: "modules/hidden.ts", policies: [] } } }),
      "modules/hidden.ts": 'import { greet } from "greeter";\nexport default () => new Response(greet());',
      "packages/greeter.js": 'export const greet = () => "hello";',
    };
    for (const [files, end] of [
      [{ "openapi.json": "{ oops" }, /^orders was not deployed\. /],
      [packed, "orders is live"],
    ] as const) {
      const archive = Buffer.from(await projectArchive(files));
      await steps.console.visit("/deployments");
      await press("Deploy…");
      await page.getByRole("dialog").getByLabel("Project").fill("orders");
      await page.getByLabel("Archive", { exact: true }).setInputFiles({
        name: "orders.tar.gz",
        mimeType: "application/gzip",
        buffer: archive,
      });
      const held = Promise.withResolvers<void>();
      await page.route("**/v1/deployments/sources", async (route) => {
        await held.promise;
        await route.continue();
      });
      await pressInDialog("Deploy");
      await pressInDialog("Hide");
      held.resolve();
      await see(end);
      expect(new URL(page.url()).pathname).toBe("/console/deployments");
      await page.unroute("**/v1/deployments/sources");
    }
    await show("");
  });

  check("is built again, also as a command", async () => {
    await press("More actions");
    await steps.console.page.getByRole("menuitem", { name: "Build again" }).click();
    const { name } = busy.deployed;
    expect(await copied("Copy as command")).toBe(`tollgate deployments redeploy ${name}`);
    expect(await copied("Copy as curl")).toContain(`-X POST ${steps.console.server.url}/v1/deployments/${name}/deploy`);
    await pressInDialog("Build again");
    await see("orders is live");
  });

  check("is dropped anywhere on the page", async () => {
    const { page } = steps.console;
    const archive = Buffer.from(await projectArchive({ "openapi.json": openApi({ "/dropped": operation }) }));
    await steps.console.visit("/deployments");
    const transfer = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      const bytes = Uint8Array.from(atob("${archive.toString("base64")}"), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], "dropped.tar.gz", { type: "application/gzip" }));
      return transfer;
    })()`);
    await page.dispatchEvent("main", "drop", { dataTransfer: transfer });
    await see("dropped.tar.gz");
    const dialog = page.getByRole("dialog");
    await eventually(() => dialog.getByLabel("Project").inputValue()).toBe("dropped");
    await dialog.getByLabel("Branch").fill("preview");
    await dialog.getByLabel("Note").fill("Dropped on the page");
    await pressInDialog("Deploy");
    await page.waitForURL(/\/deployments\/dropped-preview-/);
    await openTab("Versions");
    await see("Dropped on the page");
    await see("by TOLLGATE_ADMIN_TOKEN");
  });

  check("is found by its name and its branch", async () => {
    await steps.console.visit("/deployments");
    await addFilter(steps.console.page, "Branch", "preview");
    await until(async () => (await rows("Deployments")).length === 1, soon);
    await eventually(async () => (await rows("Deployments"))[0]).toContain("dropped");
    await addFilter(steps.console.page, "Project", "orders");
    await see("No deployment matches");
    await eventually(() => steps.console.page.url()).toContain("?branch=preview&project=orders");
    await press("Clear filters");
    await until(async () => (await rows("Deployments")).length === 2, soon);
  });

  check(
    "shows what a policy in observe would have rejected, of which consumers, with which code, and how to enforce it",
    async () => {
      const { server, page } = steps.console;
      const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("{}") });
      const watched = await deploy(
        server,
        { project: "watched", branch: "main" },
        {
          "openapi.json": openApi({ "/orders": { "x-tollgate": { policies: ["keys", "pace"] } } }),
          "tollgate.json": {
            upstream: upstream.url.origin,
            policies: {
              keys: { type: "api-key", options: { bucket: "main" } },
              pace: { type: "rate-limit", mode: "observe", options: { requests: 2, windowSeconds: 86_400 } },
            },
          },
        },
      );
      const key = await server.client.post("/v1/accounts/default/key-buckets/main/consumers/acme/keys", {});
      for (let count = 0; count < 5; count++)
        await watched.call("/orders", { headers: { authorization: `Bearer ${key.body.key}` } });
      await upstream.stop(true);
      const analytics = `/v1/deployments/${watched.name}/analytics?by=policy`;
      await until(async () => (await server.client.get(analytics)).body.series[0]?.totals.observed === 3);

      await steps.console.visit(`/deployments/${watched.name}`);
      const card = page.getByRole("region", { name: "pace, in observe" });
      const sentence = "Would have rejected 3 of 5 requests of 1 consumer in 24 hours, with rate_limited.";
      await eventually(() => card.innerText()).toContain(sentence);
      await eventually(() => card.innerText()).toContain("acme");
      await eventually(() => card.innerText()).toContain('remove "mode": "observe" from pace in tollgate.json');
      await card.getByRole("link", { name: "Show the requests" }).click();
      await eventually(() => page.locator(".table-box tbody tr").count()).toBe(3);
      await page.locator(".table-box tbody tr a").first().click();
      await see(/would have rejected it with rate_limited/);
      await see("Observed");
      await steps.console.visit(`/deployments/${watched.name}?tab=routes&route=GET%20%2Forders`);
      await see(sentence);
    },
  );
});

checkPages(steps, () =>
  ["", "?tab=routes&route=GET%20%2Forders", "?tab=versions&from=1&to=2", "?tab=settings", "?tab=logs"].map(
    (search) => `/deployments/${busy.deployed.name}${search}`,
  ),
);
