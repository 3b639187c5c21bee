import { beforeAll, describe, expect } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

const user = useConsole();
const { check, see, press, type, confirm, menu } = user;
const buckets = "/v1/accounts/default/key-buckets";
const acme = `${buckets}/main/consumers/acme`;
const hostile = `<img src=x onerror="document.title='hacked'">`;

const rows = () => user.page.locator("tbody tr");
const keysOf = async (path: string) => (await user.server.client.get(`${path}/keys`)).body.data;
const shows = (count: number) => user.until(async () => (await rows().count()) === count, `${count} rows`);
const inField = (label: string) => user.page.getByLabel(label, { exact: false }).first().inputValue();
const byDescription = (description: string) => user.page.getByRole("row", { name: new RegExp(description) });

beforeAll(async () => {
  const { client } = user.server;
  await client.post(`${buckets}/main/consumers`, { name: "acme", tags: { plan: "gold" } });
  await client.post(`${buckets}/main/consumers`, { name: "globex", apiKeys: [{ description: "globex one" }] });
}, patienceMs);

describe("a consumer's keys", () => {
  check("one is created with all its fields; errors are shown at their fields", async () => {
    await user.visit("/consumers/main/acme?tab=keys");
    await press("New key");
    await type("Description", hostile);
    await user.page.getByText("90 days").click();
    await user.page.getByText("Permissions, addresses, limit and metadata").click();
    await type("Permissions", "orders:read\nno spaces");
    await type("Allowed addresses", "192.0.2.0/24\nnowhere");
    await type("Rate limit, requests", "0");
    await type("Rate limit, seconds", "60");
    await type("Metadata", '{"team": "billing"}');
    user.expectStatus(400);
    await press("Create key");
    await see(/^Entry 2 must be 1 to 64 characters/);
    await see(/^Entry 2 (must|is)/);
    await see("must be at least 1");
    await user.expectAccessible();
    await type("Permissions", "orders:read\norders:write");
    await type("Allowed addresses", "192.0.2.0/24");
    await type("Rate limit, requests", "600");
    await press("Create key");
    const value = (await user.page.locator(".secret").innerText()).trim();
    expect(value).toMatch(/^tg_[0-9a-f]{32}_/);
    await user.expectAccessible();
    await press("I have stored it");
    await see("2 permissions · 192.0.2.0/24 · 600 in 60 s");
    await see(hostile);
    expect(await user.page.title()).not.toContain("hacked");
    const [key] = await keysOf(acme);
    expect(key).toMatchObject({
      description: hostile,
      permissions: ["orders:read", "orders:write"],
      allowedIps: ["192.0.2.0/24"],
      rateLimit: { requests: 600, windowSeconds: 60 },
      metadata: { team: "billing" },
      isEnabled: true,
    });
    expect(key.expiresOn).not.toBeNull();
    await user.expectAccessible();
  });

  check("its value is shown again, which is in the audit log", async () => {
    await press(/^Actions of key/);
    await menu("Show value");
    await see("This access is recorded in the audit log.");
    await eventually(() => user.page.locator(".secret").innerText()).toMatch(/^tg_/);
    await user.expectAccessible();
    await press("Close");
    const { body } = await user.server.client.get("/v1/accounts/default/audit-log?action=key.revealed");
    expect(body.data.length).toBe(1);
  });

  check("it is edited, and a concurrent change shows both versions", async () => {
    const [{ id }] = await keysOf(acme);
    await press(/^Actions of key/);
    await menu("Edit");
    await eventually(() => inField("Permissions")).toBe("orders:read\norders:write");
    await type("Description", "mine");
    await type("Allowed addresses", "");
    await user.page.getByLabel("Enabled").waitFor();
    await user.until(() => user.page.getByRole("button", { name: "Save" }).isEnabled(), "the key to load");
    await user.server.client.patch(`${acme}/keys/${id}`, { description: "theirs" });
    user.expectStatus(412);
    await press("Save");
    const conflict = user.page.getByRole("row", { name: /Description/ });
    await conflict.waitFor();
    await eventually(async () => (await conflict.innerText()).split(/\s+/)).toEqual(["Description", "theirs", "mine"]);
    await user.expectAccessible();
    await press("Keep mine, and save over theirs");
    await see("Key saved");
    const [key] = await keysOf(acme);
    expect(key.description).toBe("mine");
    expect(key).not.toHaveProperty("allowedIps");
    expect(key.rateLimit).toEqual({ requests: 600, windowSeconds: 60 });
  });

  check("it is disabled and enabled, each also as a command", async () => {
    await user.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const [{ id }] = await keysOf(acme);
    await press(/^Actions of key/);
    await menu("Disable");
    await press("Copy as…");
    await menu("Copy as curl");
    await eventually(() => user.page.evaluate("navigator.clipboard.readText()")).toContain(
      `curl -X PATCH ${user.server.url}${acme}/keys/${id} \\\n`,
    );
    await press("Copy as…");
    await menu("Copy as command");
    await user.until(
      async () =>
        (await user.page.evaluate("navigator.clipboard.readText()")) ===
        `tollgate keys update acme ${id} --bucket main --enabled false`,
      "the command",
    );
    await confirm("Disable key");
    await see("Key disabled");
    await user.until(async () => !(await keysOf(acme))[0].isEnabled, "it to be disabled");
    await press(/^Actions of key/);
    await menu("Enable");
    await confirm("Enable key");
    await see("Key enabled");
    await eventually(async () => (await keysOf(acme))[0].isEnabled).toBe(true);
  });

  check("they are rolled with a grace, and the new value is shown", async () => {
    await press("Roll keys");
    await user.page.getByText("In 1 hour").click();
    await user.expectAccessible();
    await confirm("Roll keys");
    await eventually(() => user.page.locator(".secret").innerText()).toMatch(/^tg_/);
    await press("I have stored it");
    await eventually(async () => (await keysOf(acme)).length).toBe(2);
  });

  check("one is rolled from its menu and keeps its rules; the dialog for all lists those that expire", async () => {
    const { client } = user.server;
    const umbrella = `${buckets}/labs/consumers/umbrella`;
    const apiKeys = [
      { description: "Production", permissions: ["shipments:*"] },
      { description: "Staging", permissions: ["shipments:read"] },
    ];
    await client.post(buckets, { name: "labs" });
    await client.post(`${buckets}/labs/consumers`, { name: "umbrella", apiKeys });
    await user.visit("/consumers/labs/umbrella?tab=keys");
    await press("Roll keys");
    const list = user.page.getByRole("list", { name: "Keys that expire" });
    await list.getByRole("listitem").nth(1).waitFor();
    await eventually(async () =>
      (await list.getByRole("listitem").allInnerTexts()).map((text) => text.split(" ").slice(1)),
    ).toEqual([
      ["Production", "shipments:*"],
      ["Staging", "shipments:read"],
    ]);
    await see("It may do what the newest of them may: shipments:read");
    await user.expectAccessible();
    await press("Cancel");
    await byDescription("Production")
      .getByRole("button", { name: /^Actions of key/ })
      .click();
    await menu("Roll");
    await see("It may do what this one may: shipments:*");
    await user.page.getByText("Now", { exact: true }).click();
    await user.expectAccessible();
    await confirm("Roll key");
    await eventually(() => user.page.locator(".secret").innerText()).toMatch(/^tg_/);
    await press("I have stored it");
    const [old, staging, rolled] = await keysOf(umbrella);
    expect(old.expiresOn).not.toBeNull();
    expect(staging).toMatchObject({ description: "Staging", expiresOn: null });
    expect(rolled).toMatchObject({ description: "Production", permissions: ["shipments:*"], expiresOn: null });
  });

  check("one of a bucket that keeps no values cannot be shown again, and the menu shows why", async () => {
    await user.server.client.post(buckets, { name: "closed", isRetrievable: false });
    await user.server.client.post(`${buckets}/closed/consumers`, { name: "initech", apiKeys: [{}] });
    await user.visit("/consumers/closed/initech?tab=keys");
    await press(/^Actions of key/);
    await see("This bucket does not store values, so they cannot be shown again.");
    await eventually(() => user.page.getByRole("menuitem", { name: "Show value" }).getAttribute("aria-disabled")).toBe(
      "true",
    );
  });
});

describe("keys across consumers", () => {
  check("are filtered by the address", async () => {
    const { client } = user.server;
    const late = new Date(Date.now() + 3 * 86_400_000).toISOString();
    await client.post(`${buckets}/main/consumers/globex/keys`, { description: "expiring", expiresOn: late });
    await client.post(`${buckets}/main/consumers/globex/keys`, { description: "resting", isEnabled: false });
    await user.visit("/keys?bucket=main");
    await shows(5);
    await user.expectAccessible();
    await user.filter("State", "false");
    await shows(1);
    await eventually(() => user.path).toBe("/console/keys?bucket=main&enabled=false");
    for (const [filter, count] of [
      ["use=never", 5],
      ["use=90d", 0],
      ["expires=7d", 1],
      ["permission=orders%3Aread", 1],
      ["tag=plan%3Dgold", 2],
      ["tag=plan", 0],
    ] as const) {
      await user.visit(`/keys?bucket=main&${filter}`);
      await eventually(async () => ({ filter, count: await rows().count() })).toEqual({ filter, count });
    }
    await user.visit("/keys?bucket=main&use=90d");
    await see("No key matches");
    await press("Clear filters");
    await shows(5);
  });

  check("one is found by its last characters; the URL contains no more than the mask shows", async () => {
    const { body } = await user.server.client.post(`${acme}/keys`, { description: "found in a log" });
    await user.visit("/keys?bucket=main");
    await user.filter("Suffix", body.key);
    await shows(1);
    await eventually(() => user.path).toBe(`/console/keys?bucket=main&suffix=${body.key.slice(-8)}`);
    await user.page.locator("tbody a").first().click();
    await user.page.waitForURL(/\/consumers\/main\/acme\?tab=keys&key=key_/);
    await user.page.locator("tr[data-selected]").getByText("found in a log").waitFor();
  });

  check("some are selected and disabled, after a dry run", async () => {
    await user.visit("/keys?bucket=main&tag=plan%3Dgold");
    await byDescription("mine").getByRole("checkbox").check();
    await byDescription("found in a log").getByRole("checkbox").check();
    await see("2 keys selected");
    await user.expectAccessible();
    await press("Disable");
    await see("Disable 2 keys?");
    await user.expectAccessible();
    await eventually(async () => (await keysOf(acme)).every(({ isEnabled }: { isEnabled: boolean }) => isEnabled)).toBe(
      true,
    );
    await confirm("Disable 2 keys");
    await see("2 keys disabled.");
    await confirm("Close");
    const disabled = (await keysOf(acme)).filter(({ isEnabled }: { isEnabled: boolean }) => !isEnabled);
    expect(disabled.length).toBe(2);
    await user.gone("2 keys selected");
  });

  check("one that is selected alone is named before it is revoked", async () => {
    await user.server.client.post(`${buckets}/main/consumers`, { name: "alone", apiKeys: [{ description: "only" }] });
    const [{ key }] = await keysOf(`${buckets}/main/consumers/alone`);
    await user.visit("/keys?bucket=main");
    await byDescription("only").getByRole("checkbox").check();
    await press("Revoke");
    await see(`Revoke key …${key.slice(-8)}?`);
    await see("It is deleted, and requests with it are rejected immediately. This cannot be undone.");
    await confirm("Revoke 1 key");
    await see("1 key revoked.");
    await confirm("Close");
    await eventually(() => keysOf(`${buckets}/main/consumers/alone`)).toEqual([]);
  });

  check("a whole page is selected and enabled", async () => {
    await user.visit("/keys?bucket=main&enabled=false&tag=plan%3Dgold");
    await shows(2);
    await user.page.getByLabel("Select all keys of this page").check();
    await press("Enable");
    await confirm("Enable 2 keys");
    await see("2 keys enabled.");
    await confirm("Close");
    await see("No key matches");
  });

  check("all that match are revoked by a job, whose progress is shown", async () => {
    const { client } = user.server;
    await client.post(`${buckets}/many/consumers`, { name: "crowd" });
    const batch = Array.from({ length: 1000 }, () => ({ isEnabled: false }));
    await client.post(`${buckets}/many/consumers/crowd/keys/$bulk`, batch);
    await client.post(`${buckets}/many/consumers/crowd/keys/$bulk`, [{ isEnabled: false }, { isEnabled: true }]);
    await user.visit("/keys?bucket=many");
    await see("1–50 of 1,002");
    await user.page.getByLabel("Select all keys of this page").check();
    await see("Set a filter to select more than one page.");
    await user.visit("/keys?bucket=many&enabled=false");
    await see("1–50 of 1,001");
    await user.page.getByLabel("Select all keys of this page").check();
    await press("Select all 1,001 that match");
    await see("All 1,001 that match");
    await press("Revoke");
    await see("And 993 more.");
    const button = user.page.getByRole("dialog").getByRole("button", { name: "Revoke 1,001 keys" });
    await eventually(() => button.isDisabled()).toBe(true);
    await type("Type 1001 to confirm", "1001");
    await button.click();
    await see("1,001 keys revoked.");
    await confirm("Close");
    await see("No key matches");
    await eventually(async () => (await client.get(`${buckets}/many/keys`)).body.total).toBe(1);
  });

  check("a reader sees the keys, and why changes are not allowed", async () => {
    const { body } = await user.server.client.post("/v1/accounts/default/tokens", { role: "reader" });
    await user.signIn(body.token);
    await user.visit("/keys?bucket=main");
    await user.page.getByLabel("Select all keys of this page").check();
    await user.pressDenied("Revoke");
    await see("Your token's role is reader");
    await eventually(() => user.page.getByRole("dialog").count()).toBe(0);
    await user.expectAccessible();
    await user.signIn();
  });

  check("fit a narrow window", () =>
    user.expectNarrow(["/keys?bucket=main", "/keys?bucket=none", "/consumers/main/acme?tab=keys"]),
  );
});
