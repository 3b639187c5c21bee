import { expect, test } from "bun:test";
import { firstIdOf } from "../src/lib/ids.ts";
import { ok } from "./support/billing.ts";
import { eachEngine } from "./support/engines.ts";
import { newKeyHolder } from "./support/key-holder.ts";
import { runSql } from "./support/run-sql.ts";
import { useServer } from "./support/server.ts";
import { account } from "./support/server-settings.ts";
import { useWebhookReceiver } from "./support/webhook-receiver.ts";

const year = 365 * 24 * 60 * 60 * 1000;

/** Ids of earlier versions may be years ahead, because test buckets moved them. */
eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const receiver = useWebhookReceiver();

  const idAhead = (id: string) => {
    const [prefix, rest] = id.split("_") as [string, string];
    return firstIdOf(prefix, clock.now() + 4 * year) + rest.slice(8);
  };
  async function moveAhead(table: string, id: string): Promise<string> {
    await runSql(server.database, `UPDATE ${table} SET id = '${idAhead(id)}' WHERE id = '${id}'`);
    return idAhead(id);
  }
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

  test("keys are listed in the order of their creation, also with a consumer, and after a restart", async () => {
    const { keys, bucket, path } = await newKeyHolder(client);
    const create = async () => (await ok(client.post(keys, {}))).id as string;
    const ids = [await create(), await moveAhead("api_keys", await create())];
    await server.restart();
    ids.push(await create(), await create());
    expect(idsOf((await ok(client.get(keys))).data)).toEqual(ids);
    expect(idsOf((await ok(client.get(`${keys}?limit=2&offset=1`))).data)).toEqual(ids.slice(1, 3));
    expect(idsOf((await ok(client.get(`${path}?include-api-keys=true`))).apiKeys)).toEqual(ids);
    const [consumer] = (await ok(client.get(`${bucket}/consumers?include-api-keys=true`))).data;
    expect(idsOf(consumer.apiKeys)).toEqual(ids);
  });

  test("deliveries are listed and paged in the order of their creation", async () => {
    const webhooks = `/v1/accounts/${account}/webhooks`;
    const { id } = await ok(client.post(webhooks, { url: receiver.url(), events: ["plan.created"] }));
    const send = async () => (await ok(client.post(`${webhooks}/${id}/test`))).id as string;
    const ids = [await send(), await moveAhead("webhook_deliveries", await send()), await send(), await send()];
    const newest = ids.toReversed();
    const list = async (query: string) => idsOf((await ok(client.get(`${webhooks}/${id}/deliveries${query}`))).data);
    expect(await list("")).toEqual(newest);
    for (const [index, before] of newest.entries()) {
      expect(await list(`?before=${before}`)).toEqual(newest.slice(index + 1));
      expect(await list(`?before=${before}&limit=1`)).toEqual(newest.slice(index + 1, index + 2));
    }
  });

  test("the newest entry of the audit log is first, sealed or not, and pages follow each other", async () => {
    const tokens = `/v1/accounts/${account}/tokens`;
    const log = `/v1/accounts/${account}/audit-log`;
    const create = async () => (await ok(client.post(tokens, { role: "reader" }))).id as string;
    const first = await create();
    const [entry] = (await ok(client.get(`${log}?limit=1`))).data;
    expect(entry).toMatchObject({ resource: { id: first }, isSealed: false });
    const set = `details = replace(details, '${entry.id}', '${idAhead(entry.id)}')`;
    await runSql(server.database, `UPDATE changes SET ${set} WHERE subject = '${first}'`);
    const second = await create();
    for (const isSealed of [false, true]) {
      if (isSealed) await server.catchUp();
      // The server may seal them by itself before.
      const state = isSealed ? { isSealed } : {};
      const [newest, moved] = (await ok(client.get(`${log}?limit=2`))).data;
      expect(newest).toMatchObject({ resource: { id: second }, ...state });
      expect(moved).toMatchObject({ resource: { id: first }, id: idAhead(entry.id), ...state });
      expect((await ok(client.get(`${log}?limit=1&before=${newest.id}`))).data).toMatchObject([{ id: moved.id }]);
      const [older] = (await ok(client.get(`${log}?limit=1&before=${moved.id}`))).data;
      expect(older.resource.id).not.toBe(second);
    }
    const third = await create();
    await server.restart();
    expect((await ok(client.get(`${log}?limit=1`))).data).toMatchObject([{ resource: { id: third } }]);
    await server.catchUp();
    expect(await ok(client.get(`${log}/verification`))).toMatchObject({ intact: true });
  });
});
