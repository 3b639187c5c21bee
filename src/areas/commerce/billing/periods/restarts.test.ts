import { expect, test } from "bun:test";
import { invoicesOf, monthly, ok, perUnit, setProfile } from "../../../../../test/support/billing.ts";
import type { ClientResponse } from "../../../../../test/support/client.ts";
import { eachEngine, sqlite } from "../../../../../test/support/engines.ts";
import { createPlan, newMeteringBucket, record, subscribe, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

type Body = ClientResponse["body"];

const hour = 60 * 60 * 1000;
const day = 24 * hour;
/** Around each due time: a trial's end, renewals, the hour for late usage, due dates and the end of access. */
const stops = [2 * day, 3 * day, 17 * day, 20 * day, 31 * day, 31 * day + hour, 45 * day, 62 * day + hour, 80 * day];

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;

  /** Bills two subscriptions over 80 days. The server is stopped and started again at some of the times. */
  async function run(restartsAt: (stop: number) => boolean): Promise<unknown> {
    const begin = clock.now();
    const bucket = await newMeteringBucket(client);
    const rates = { requests: perUnit("0.10") };
    const gold = await createPlan(client, bucket, { ...monthly("30.00"), meters: { requests: { max: 100 } }, rates });
    const silver = await createPlan(client, bucket, monthly("12.00"));
    const trial = { status: "trialing", trialEndDate: new Date(begin + 3 * day).toISOString() };
    const { id } = await subscribe(client, bucket, [gold], { customerKey: "acme", ...trial });
    const other = await subscribe(client, bucket, [silver], { customerKey: "other", subscriptionExternalId: "other" });
    for (const stop of stops) {
      clock.set(new Date(begin + stop).toISOString());
      if (restartsAt(stop)) await server.restart();
      await server.catchUp();
      if (stop === 17 * day) {
        await record(client, bucket, usageEvent({ requests: 230 }));
        await ok(client.post(`${bucket}/subscriptions/${other.id}/$cancel`));
      }
    }
    // In days since the beginning, because the runs begin at different times.
    const days = (time: string | undefined) => time && (Date.parse(time) - begin) / day;
    const invoices = (await invoicesOf(client, bucket)).map(
      ({ customerKey, status, lines, total, finalizedOn, failedOn, dueOn }: Body) => ({
        ...{ customerKey, status, total, finalizedOn: days(finalizedOn), failedOn: days(failedOn), dueOn: days(dueOn) },
        lines: lines.map(({ kind, amount, periodStart }: Body) => [kind, amount, days(periodStart)]),
      }),
    );
    const { status } = await ok(client.get(`${bucket}/subscriptions/${id}`));
    // Otherwise the next run, a year later, would bill twelve months of it.
    await ok(client.post(`${bucket}/subscriptions/${id}/$cancel`));
    await server.catchUp();
    return { invoices, status };
  }

  test("a server that is stopped between any two steps bills the same, each step once", async () => {
    // Periods of 31 days each: all runs begin on 1 July.
    const fresh = async (year: number, restartsAt: (stop: number) => boolean) => {
      clock.set(`${year}-07-01T00:00:00.000Z`);
      return run(restartsAt);
    };
    await setProfile(client);
    const without = await fresh(2031, () => false);
    expect(await fresh(2032, () => true)).toEqual(without);
    expect(without).toMatchObject({ status: "unpaid" });
    // What is kept between two starts is the same on both engines.
    const alone = engine === sqlite ? [3 * day, 31 * day + hour] : [];
    for (const [index, at] of alone.entries())
      expect(await fresh(2033 + index, (stop) => stop === at)).toEqual(without);
  });
});
