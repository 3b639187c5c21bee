import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { runSql } from "../../../../../test/support/run-sql.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { useWebhookReceiver } from "../../../../../test/support/webhook-receiver.ts";

const webhooks = `/v1/accounts/${account}/webhooks`;
const waiting = 10_000;
/** The size of a message: all of them together are 40 MB. */
const bodyBytes = 4000;
const withinMs = 30_000;

/** The used memory, including memory outside the heap. */
function liveBytes(): number {
  Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  return heapSize + extraMemorySize;
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const receiver = useWebhookReceiver();

  /** Creates deliveries of messages that were never sent, as if the endpoint had been unreachable for long. */
  async function fillQueue(webhookId: string): Promise<void> {
    const numbers = `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${waiting})`;
    const body = JSON.stringify({ type: "plan.created", data: { text: "x".repeat(bodyBytes) } });
    const now = clock.now();
    await runSql(
      server.database,
      `INSERT INTO webhook_messages (account_seq, id, type, body, created_on) ${numbers}
        SELECT webhooks.account_seq, 'msg_waiting' || n, 'plan.created', '${body}', ${now}
        FROM numbers, webhooks WHERE webhooks.id = '${webhookId}'`,
    );
    await runSql(
      server.database,
      `INSERT INTO webhook_deliveries
        (id, webhook_seq, message_seq, message_id, type, status, attempts, schedule_step, due_on, created_on)
        SELECT 'dlvr_' || m.id, w.seq, m.seq, m.id, m.type, 'pending', 0, 0, ${now}, ${now}
        FROM webhook_messages AS m, webhooks AS w WHERE w.id = '${webhookId}' AND m.id LIKE 'msg_waiting%'`,
    );
    await runSql(server.database, `UPDATE webhooks SET next_due_on = ${now} WHERE id = '${webhookId}'`);
  }

  test(`${waiting} pending deliveries take no memory and do not delay other webhooks`, async () => {
    const held: (() => void)[] = [];
    let isHanging = true;
    receiver.respond = ({ path }) =>
      path === "/hangs" && isHanging
        ? new Promise((resolve) => held.push(() => resolve(new Response())))
        : new Response(null, { status: 204 });
    const hanging = (await client.post(webhooks, { url: receiver.url("/hangs"), events: ["plan.*"] })).body;
    const quick = (await client.post(webhooks, { url: receiver.url("/quick"), events: ["plan.*"] })).body;
    await client.post(`${webhooks}/${quick.id}/test`);
    await receiver.wait(1);

    const before = liveBytes();
    await fillQueue(hanging.id);
    await receiver.waitForType("plan.created", 5, withinMs);
    await client.post(`${webhooks}/${quick.id}/test`);
    await receiver.waitForType("webhook.test", 2, withinMs);
    expect(liveBytes() - before).toBeLessThan((waiting * bodyBytes) / 4);
    expect(receiver.ofType("plan.created")).toHaveLength(5);

    isHanging = false;
    for (const release of held) release();
    await receiver.waitForType("plan.created", 100, withinMs);
    receiver.received.length = 0;
    expect(liveBytes() - before).toBeLessThan((waiting * bodyBytes) / 4);
    for (const { id } of [hanging, quick]) expect((await client.delete(`${webhooks}/${id}`)).status).toBe(204);
  });
});
