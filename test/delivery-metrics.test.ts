import { afterAll, beforeAll, expect, test } from "bun:test";
import { recordBackup } from "../src/platform/storage/data-directory/last-backup.ts";
import { sqlite } from "./support/engines.ts";
import { account } from "./support/server-settings.ts";
import { spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";
import { WebhookReceiver } from "./support/webhook-receiver.ts";

const receiver = new WebhookReceiver();
beforeAll(() => receiver.start());
afterAll(() => receiver.stop());

test("metrics count attempts of webhooks and mail by outcome, and show the last backup", async () => {
  const database = await sqlite.migratedDatabase();
  // Nothing listens there.
  const environment = { TOLLGATE_SMTP_URL: "smtp://127.0.0.1:9", TOLLGATE_MAIL_FROM: "gate@tollgate.example" };
  const server = await spawnServer(sqlite, { database, environment });
  const text = async () => (await fetch(`${server.url}/metrics`)).text();
  const deliveries = (kind: string, outcome: string, count: number) => async () =>
    (await text()).includes(`\ntollgate_deliveries_total{kind="${kind}",outcome="${outcome}"} ${count}\n`);
  expect(await text()).not.toContain("\ntollgate_last_backup_timestamp_seconds ");
  const accountPath = `/v1/accounts/${account}`;
  const created = await server.client.post(`${accountPath}/webhooks`, {
    url: receiver.url(),
    events: ["key.created"],
  });
  expect(created.status, created.text).toBe(200);
  const send = (name: string) =>
    server.client.post(`${accountPath}/key-buckets/main/consumers?with-api-key=true`, { name });
  expect((await send("first")).status).toBe(200);
  await until(deliveries("webhook", "succeeded", 1));
  receiver.respond = () => new Response(null, { status: 500 });
  expect((await send("second")).status).toBe(200);
  await until(deliveries("webhook", "failed", 1));
  expect(await deliveries("webhook", "succeeded", 1)()).toBe(true);
  const invited = await server.client.post(`${accountPath}/members`, { email: "ann@example.com", role: "reader" });
  expect(invited.status, invited.text).toBe(200);
  await until(deliveries("mail", "failed", 1));
  recordBackup(database.environment.TOLLGATE_DATA_DIR!, { time: 1_700_000_000_000, bytes: 1 });
  expect(await text()).toContain("\ntollgate_last_backup_timestamp_seconds 1700000000\n");
  await server.stop();
  await database.drop();
});
