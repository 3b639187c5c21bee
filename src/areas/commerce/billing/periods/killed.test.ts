import { expect, test } from "bun:test";
import {
  invoicesOf,
  monthly,
  moveTo,
  newTestBucket,
  rated,
  setProfile,
  use,
} from "../../../../../test/support/billing.ts";
import type { Client, ClientResponse } from "../../../../../test/support/client.ts";
import { type Engine, postgres, sqlite } from "../../../../../test/support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../../test/support/metering.ts";
import { type SpawnedServer, spawnServer } from "../../../../../test/support/spawned-server.ts";
import { until } from "../../../../../test/support/until.ts";

type Body = ClientResponse["body"];

const customers = ["acme", "globex"];
const start = "2031-01-01T00:00:00.000Z";
/** Each time is a move of the clock that is interrupted, after a number of other requests. */
const moves: [to: string, requests: number][] = [
  ["2031-02-01T01:00:00.000Z", 0],
  ["2031-03-01T00:00:00.000Z", 4],
  ["2031-04-01T01:00:00.000Z", 16],
];
const end = "2031-06-15T00:00:00.000Z";
const waitingDrafts = 30;
const withinMs = 60_000;

/** Fees and overage in a test bucket, and a bucket whose drafts wait for the billing profile. */
async function arrange(client: Client) {
  const bucket = await newTestBucket(client, start);
  const plan = await createPlan(client, bucket, rated("0.10", { amount: "30.00" }));
  for (const customerKey of customers) await subscribe(client, bucket, [plan], { customerKey });
  await use(client, bucket, 230);
  const live = await newMeteringBucket(client);
  const fee = await createPlan(client, live, monthly("12.00"));
  for (let number = 0; number < waitingDrafts; number++)
    await subscribe(client, live, [fee], { customerKey: `customer-${number}` });
  return { bucket, live };
}

/** The invoices with a number. There are more drafts than an API page has. */
const numbered = async (client: Client, bucket: string) =>
  (await invoicesOf(client, bucket, "?limit=200")).filter(({ number }) => number !== undefined);

function expectNoGaps(invoices: Body[], prefix: string): void {
  const numbers = invoices.map(({ number }) => number).sort();
  expect(numbers).toEqual(invoices.map((_, index) => prefix + String(index + 1).padStart(6, "0")));
}

/** Kills the server while it performs a request, whose response may be lost. */
async function killDuring(server: SpawnedServer, request: Promise<unknown>, reached: () => Promise<unknown>) {
  const settled = request.catch(() => {});
  await reached();
  await server.kill("SIGKILL");
  await settled;
  await server.stop();
}

test.each<[name: string, engine: Engine]>([
  ["SQLite", sqlite],
  ["PostgreSQL", postgres],
])(
  "kill -9 during renewals and the finalization of drafts, on %s: each period is billed once, without gaps",
  async (_name, engine) => {
    const database = await engine.freshDatabase();
    let server = await spawnServer(engine, { database });
    const { bucket, live } = await arrange(server.client);
    const { client: first } = server;
    await killDuring(server, setProfile(first), () =>
      until(async () => (await numbered(first, live)).length > 0, { withinMs, what: "a finalized invoice" }),
    );
    for (const [to, requests] of moves) {
      server = await spawnServer(engine, { database });
      const { client } = server;
      await killDuring(server, moveTo(client, bucket, to), async () => {
        for (let number = 0; number < requests; number++) await client.get(bucket);
      });
    }
    server = await spawnServer(engine, { database });
    const { client } = server;
    await moveTo(client, bucket, end);
    await until(async () => (await numbered(client, live)).length === waitingDrafts, { withinMs, what: "the drafts" });
    expectNoGaps(await numbered(client, live), "INV-");
    const invoices = await invoicesOf(client, bucket, "?limit=200");
    expectNoGaps(invoices, "TEST-INV-");
    const billedOnce = invoices.flatMap(({ customerKey, lines }: Body) =>
      lines.map(({ kind, amount, periodStart }: Body) => `${customerKey} ${kind} ${amount} ${periodStart.slice(0, 7)}`),
    );
    const months = Array.from({ length: 6 }, (_, month) => `2031-${String(month + 1).padStart(2, "0")}`);
    const fees = customers.flatMap((customer) => months.map((month) => `${customer} plan 30.00 ${month}`));
    expect(billedOnce.sort()).toEqual([...fees, "acme overage 13.00 2031-01"].sort());
    await server.stop();
    await database.drop();
  },
  240_000,
);
