import { beforeAll, describe, expect } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

const user = useConsole();
const { check, see, press, menu } = user;
const root = "/v1/accounts/default";

beforeAll(async () => {
  const { client } = user.server;
  await client.post(`${root}/key-buckets`, { name: "payments" });
  await client.post(`${root}/key-buckets/payments/consumers`, { name: "acme" });
  await client.post(`${root}/key-buckets/main/consumers`, { name: "globex" });
}, patienceMs);

describe("the audit log", () => {
  check("explains filters that match nothing", async () => {
    await user.visit("/audit-log?actor=Ada");
    await see("No entry matches");
    await press("Clear filters");
    await user.page.getByRole("table", { name: "Audit log" }).waitFor();
    await eventually(() => user.path).toBe("/console/audit-log");
  });

  check("is read as sentences, and filtered by time and by the name of the actor", async () => {
    const { client } = user.server;
    const { body } = await client.post(`${root}/tokens`, { role: "admin", name: "back office" });
    await client.as(body.token).post(`${root}/key-buckets`, { name: "refunds" });
    await user.visit("/audit-log");
    await see("Bucket refunds created");
    const rows = user.page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
    await user.filter("Actor", "back office");
    await user.page.waitForURL(new RegExp(`actor=${body.id}`));
    await user.until(async () => (await rows.count()) === 1, "the one change of the actor");
    await user.filter("Range", "7d");
    await user.page.waitForURL(/range=7d/);
    await see("Bucket refunds created");
    await user.visit("/audit-log?to=2020-01-01T00:00:00Z");
    await see("No entry matches");
  });

  check("is exported as it is filtered, as CSV and as JSON lines", async () => {
    await user.visit("/audit-log?action=consumer.*");
    const { data } = (await user.server.client.get(`${root}/audit-log?action=consumer.*`)).body;
    for (const [item, lines] of [
      ["As CSV", data.length + 1],
      ["As JSON lines", data.length],
    ] as const) {
      const downloading = user.page.waitForEvent("download");
      await press("Export");
      await menu(item);
      const text = await Bun.file(await (await downloading).path()).text();
      expect(text.trimEnd().split("\n")).toHaveLength(lines);
      expect(text).toContain(data.at(-1).id);
    }
  });

  check("has an address for each entry, however old it is", async () => {
    const { client } = user.server;
    const [oldest] = (await client.get(`${root}/audit-log?action=bucket.created`)).body.data.slice(-1);
    for (let index = 0; index < 55; index++)
      await client.patch(`${root}/key-buckets/payments/consumers/acme`, { metadata: { index } });
    await user.visit(`/audit-log?entry=${oldest.id}`);
    await user.page.getByRole("dialog").getByText(oldest.id).waitFor();
    await user.visit("/audit-log?entry=audt_nothing");
    await see("The entry does not exist");
  });
});
