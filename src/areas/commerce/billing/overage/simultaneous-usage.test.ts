import { beforeAll, expect, test } from "bun:test";
import { billed, linesOfAll, moveTo, ok, rated, setProfile, use, usedOf } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { createPlan, subscribe, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const january1 = "2031-01-01T00:00:00.000Z";
const january15 = "2031-01-15T00:00:00.000Z";
const january20 = "2031-01-20T00:00:00.000Z";
const march1 = "2031-03-01T01:00:00.000Z";

const cheap = rated("0.10", { max: 10 });
const expensive = rated("1.00", { max: 10 });

// The clock of a test bucket stands still, so events and changes have the same time: the order of arrival decides.
eachEngine((engine) => {
  const { client } = useServer(engine);
  beforeAll(async () => {
    await setProfile(client, { termsDays: 365, graceDays: 365 });
  });

  const change = async (bucket: string, path: string, plan: object) => {
    const { planExternalId } = await createPlan(client, bucket, plan);
    await ok(client.post(`${path}/$change`, { planExternalIds: [planExternalId], timing: "now" }));
  };
  const cancel = (path: string) => ok(client.post(`${path}/$cancel`, { timing: "now" }));

  test("an event before a cancellation at the same time is billed", async () => {
    const { bucket, path } = await billed(client, january1, rated("0.30", { max: 10 }));
    await use(client, bucket, 15);
    await cancel(path);
    await moveTo(client, bucket, march1);
    expect(await linesOfAll(client, bucket, path)).toEqual([["overage", "1.50"]]);
  });

  test("an event before the deletion of its subscription at the same time is billed", async () => {
    const { bucket, path } = await billed(client, january1, rated("0.30", { max: 10 }));
    await use(client, bucket, 15);
    expect(await client.delete(path)).toMatchObject({ status: 204 });
    expect(await linesOfAll(client, bucket, path)).toEqual([["overage", "1.50"]]);
  });

  test("events before and after a change at the same time have the old and the new terms", async () => {
    const { bucket, path } = await billed(client, january1, cheap);
    await use(client, bucket, 15);
    await change(bucket, path, expensive);
    await use(client, bucket, 2);
    await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
    expect(await linesOfAll(client, bucket, path)).toEqual([
      ["overage", "0.50"],
      ["overage", "2.00"],
    ]);
  });

  test("each of several changes at the same time has the events that arrived before it", async () => {
    const { bucket, path } = await billed(client, january1, cheap);
    await moveTo(client, bucket, january15);
    await use(client, bucket, 11);
    await change(bucket, path, expensive);
    await use(client, bucket, 2);
    await change(bucket, path, rated("3.00", { max: 10 }));
    await use(client, bucket, 4);
    await cancel(path);
    await moveTo(client, bucket, march1);
    expect(await linesOfAll(client, bucket, path)).toEqual([
      ["overage", "0.10"],
      ["overage", "2.00"],
      ["overage", "12.00"],
    ]);
  });

  test("usage before the first price is not billed", async () => {
    const { bucket, path } = await billed(client, january1, { meters: { requests: { max: 100 } } });
    await use(client, bucket, 130);
    await moveTo(client, bucket, january15);
    await use(client, bucket, 7);
    await change(bucket, path, rated("1.00", { max: 50 }));
    await use(client, bucket, 2);
    await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
    expect(await linesOfAll(client, bucket, path)).toEqual([["overage", "2.00"]]);
  });

  test("usage is billed once if a subscription is paused and resumed at the same time", async () => {
    const { bucket, path } = await billed(client, january1, expensive);
    await use(client, bucket, 11);
    await ok(client.post(`${path}/$pause`));
    const rejected = await client.post(`${bucket}/events`, usageEvent({ requests: 2 }));
    expect(rejected).toMatchObject({ status: 400, body: { detail: "/subject has no active subscription here" } });
    await ok(client.post(`${path}/$resume`));
    await use(client, bucket, 4);
    await cancel(path);
    await moveTo(client, bucket, march1);
    expect(await linesOfAll(client, bucket, path)).toEqual([
      ["overage", "1.00"],
      ["overage", "4.00"],
    ]);
  });

  test("an event stays with its subscription if another one begins at the same time", async () => {
    const { bucket, path: before } = await billed(client, january1, expensive);
    await moveTo(client, bucket, january15);
    await use(client, bucket, 12);
    await cancel(before);
    const { id } = await subscribe(client, bucket, [await createPlan(client, bucket, cheap)]);
    const after = `${bucket}/subscriptions/${id}`;
    await use(client, bucket, 13);
    expect([await usedOf(client, before, january15), await usedOf(client, after, january15)]).toEqual([12, 13]);
    await moveTo(client, bucket, march1);
    expect(await linesOfAll(client, bucket, before)).toEqual([["overage", "2.00"]]);
    expect(await linesOfAll(client, bucket, after)).toEqual([["overage", "0.30"]]);
  });

  test("an event of that time that arrives later counts as after the change", async () => {
    const { bucket, path } = await billed(client, january1, cheap);
    await moveTo(client, bucket, january15);
    await use(client, bucket, 15);
    await change(bucket, path, expensive);
    await moveTo(client, bucket, january20);
    await use(client, bucket, 2, january15);
    await use(client, bucket, 3, "2031-01-14T23:59:59.999Z");
    await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
    expect(await linesOfAll(client, bucket, path)).toEqual([
      ["overage", "0.80"],
      ["overage", "2.00"],
    ]);
  });
});
