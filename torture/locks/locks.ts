import { moveTo, newTestBucket, ok, perUnit, setProfile } from "../../test/support/billing.ts";
import { type Database, postgres } from "../../test/support/engines.ts";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { createPlan, newMeteringBucket, subscribe, usageEvent } from "../../test/support/metering.ts";
import { readSql } from "../../test/support/run-sql.ts";
import { startServer, type TestServer } from "../../test/support/server.ts";
import type { Part, Torture } from "../part.ts";

const day = 24 * 60 * 60 * 1000;
const customers = ["ann", "ben", "cem", "dan"];
const usage = { meters: { requests: { max: 5 }, tokens: { max: 5 } }, rates: { requests: perUnit("0.10") } };
const plan = { price: { currency: "EUR", amount: "10.00", interval: "month" }, ...usage };

/** Two nodes on which everything that locks usage or money happens at the same time: no transaction may deadlock. */
export const locks: Part = async (torture) => {
  const database = await postgres.migratedDatabase();
  try {
    await tortureNodes(database, torture);
    // Connections report their figures at the latest when they end, and the nodes have stopped.
    const sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    const [row] = await readSql<{ deadlocks: string }>(database, sql);
    if (Number(row!.deadlocks) > 0) throw new Error(`${row!.deadlocks} deadlocks`);
    torture.report("no deadlock, also none that was retried");
  } finally {
    await database.drop();
  }
};

async function tortureNodes(database: Database, { random, effort: { lockRounds }, report }: Torture): Promise<void> {
  const clock = new FakeClock();
  const nodes: TestServer[] = [];
  try {
    for (let count = 0; count < 2; count++) nodes.push(await startServer(postgres, { database, clock }));
    const { client } = nodes[0]!;
    await setProfile(client);
    const live = await newMeteringBucket(client);
    const test = await newTestBucket(client, clock.iso());
    const subscriptions: string[] = [];
    for (const bucket of [live, test]) {
      const plans = [await createPlan(client, bucket, plan)];
      for (const customerKey of customers) {
        const { id } = await subscribe(client, bucket, plans, { customerKey });
        subscriptions.push(`${bucket}/subscriptions/${id}`);
      }
    }
    let sent = 0;
    for (let round = 0; round < lockRounds; round++) {
      clock.advance(3 * day);
      const at = clock.iso();
      const node = () => random.pick(nodes).client;
      const bucket = () => random.pick([live, test]);
      const customer = () => `${bucket()}/customers/${random.pick(customers)}`;
      // The same ids from several clients, in batches that are in different orders. With 700, an order of locks that is
      // wrong was not detected.
      const events = Array.from({ length: 4_500 }, (_, index) =>
        usageEvent(
          { [index % 3 === 0 ? "tokens" : "requests"]: 1 },
          { id: `${round}-${index}`, subject: customers[index % 4] },
        ),
      );
      const works: (() => Promise<unknown>)[] = [
        ...nodes.map((each) => () => each.runTasks()),
        () => nodes[0]!.client.post(`${live}/events`, events),
        () => nodes[1]!.client.post(`${live}/events`, events.toReversed()),
        () => node().post(`${test}/events`, events.slice(0, 20)),
        () => moveTo(node(), test, at),
        () => node().get(`${test}/invoices`),
        ...Array.from(
          { length: 24 },
          () => () =>
            node().post(`${random.pick(subscriptions)}/quotas/consume`, { meters: { requests: 1, tokens: 1 } }),
        ),
        ...Array.from(
          { length: 4 },
          () => () => node().post(`${customer()}/grants`, { currency: "EUR", amount: "1.00", funding: "paid" }),
        ),
        () => node().patch(customer(), { spendCap: { amount: "9.00", action: "block" } }),
        () => node().get(`${random.pick(subscriptions)}/upcoming-invoice`),
      ];
      await Promise.all(works.map((work) => work()));
      sent += works.length;
    }
    await ok(client.get(`${live}/invoices`));
    report(`${lockRounds} rounds with ${sent} operations on two nodes`);
  } finally {
    for (const node of nodes) await node.stop();
  }
}
