import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installProgram } from "../../test/support/cli.ts";
import { commandsIn, runPasted } from "../../test/support/pasted-commands.ts";
import { runSql } from "../../test/support/run-sql.ts";
import { until } from "../../test/support/until.ts";
import { useCli } from "../../test/support/use-cli.ts";
import type { Simulation } from "../client/index.ts";

const bench = useCli();
const cli = () => bench.cli;
const document = readFileSync(join(import.meta.dir, "../../docs/changing-prices.md"), "utf8");
const price = { currency: "EUR", amount: "10.00", interval: "month" } as const;

/** Customers who used a plan for two months, in the only bucket. */
beforeAll(async () => {
  const { client } = bench;
  await client.billing.setProfile({
    legalName: "Weather GmbH",
    address: { line1: "Hauptstr. 1", city: "Berlin", country: "DE" },
    numberPrefix: "W-",
    termsDays: 14,
  });
  const { id } = await client.metering.create({ name: "sandbox", isTest: true });
  await client.metering.moveClock(id, "2040-01-01T00:00:00.000Z");
  const tiers = [{ upTo: null, unitAmount: "0.0005" }];
  await client.plans(id).create({
    label: "Gold",
    planExternalId: "price_gold",
    meters: { requests: { max: 100_000 } },
    price,
    rates: { requests: { overage: "bill", tierMode: "graduated", tiers } },
  });
  const used = { acme: 120_000, bolt: 60_000, corner: 10_000, delta: 8000 };
  for (const [customer, requests] of Object.entries(used)) {
    await cli().json(["subscriptions", "create", customer, "--plan", "price_gold"]);
    await cli().json(["usage", "consume", customer, "--meter", `requests=${requests}`]);
  }
  await client.metering.moveClock(id, "2040-03-02T00:00:00.000Z");
});

test("the commands of docs/changing-prices.md work as pasted, and print the documented output", async () => {
  const bin = await installProgram(cli().folder);
  const env = { ...cli().environment, PATH: `${bin}:${process.env.PATH}` };
  const [shown] = await runPasted(commandsIn(document), { cwd: cli().folder, env, before: "exec 2>&1" });
  const [, documented] = /```text\n([\s\S]*?)```/.exec(document)!;
  expect(shown!.replace(/sim_\w{24}/, "sim_…")).toBe(documented!);
});

test("the times of the command are those of the bucket, and what it prints as JSON is the API's", async () => {
  const body = JSON.parse(
    (await cli().runProcess("plans simulate gold.json --since 35d --to 1d --json")).stdout,
  ) as Simulation & {
    largest: { data: { customerKey: string }[] };
  };
  expect(body).toMatchObject({
    state: "succeeded",
    from: "2040-01-27T00:00:00.000Z",
    to: "2040-03-01T00:00:00.000Z",
    result: { before: [{ fees: "40.00", usage: "0.00" }], after: [{ fees: "48.00", usage: "0.00" }] },
  });
  expect(body.largest.data.map(({ customerKey }) => customerKey)).toEqual(["acme", "bolt", "corner", "delta"]);
  const { data } = await bench.client.simulations("sandbox").list().page();
  expect(data[0]!.id).toBe(body.id);
});

test("a maximum that blocks, and a time without periods", async () => {
  const plans = { price_gold: { rates: null, meters: { requests: { max: 50_000 } } } };
  await writeFile(join(cli().folder, "blocks.json"), JSON.stringify(plans));
  const { stdout } = await cli().runProcess("plans simulate blocks.json");
  expect(stdout).toContain("\n0 customers would have paid more, 1 less, 3 the same.\n");
  expect(stdout).toContain("\n2 customers would have reached the maximum of requests, first on 2040-01-01.\n");
  expect(stdout).toMatch(/^acme +EUR +30\.00 +20\.00 +-10\.00 +2040-01-01 00:00:00Z$/m);
  expect((await cli().runProcess("plans simulate blocks.json --since 20d")).stdout).toBe(
    "No customer was billed for periods that began and ended in this time.\n",
  );
});

test("customers are named, and moved to another plan that may exist in the file alone", async () => {
  const pro = { price: { ...price, amount: "25.00" }, meters: { requests: { max: 200_000 } } };
  await writeFile(join(cli().folder, "pro.json"), JSON.stringify({ price_pro: pro }));
  const command = "plans simulate pro.json --move price_gold=price_pro --customer acme --customer delta --json";
  const { result, largest } = JSON.parse((await cli().runProcess(command)).stdout);
  expect(result).toMatchObject({ before: [{ total: "50.00" }], after: [{ fees: "100.00", total: "100.00" }] });
  expect(largest.data).toMatchObject([
    { customerKey: "delta", difference: "30.00" },
    { customerKey: "acme", difference: "20.00" },
  ]);
});

test("Ctrl-C cancels the simulation", async () => {
  const { client } = bench;
  const { database } = bench.server;
  // Another node has taken a simulation of the account, so that others wait.
  await runSql(
    database,
    `INSERT INTO jobs (id, account_seq, actor, kind, input, state, position, done, failed, total, worker, worker_until,
       created_on, updated_on)
     SELECT 'occupied', account_seq, 'test', 'simulation', '{}', 'running', 0, 0, 0, 1, 'another', 9999999999999, 0, 0
     FROM metering_buckets WHERE name = 'sandbox'`,
  );
  const known = (await client.simulations("sandbox").list().page()).total;
  const running = cli().start(["plans", "simulate", "gold.json"]);
  const newest = async () => (await client.simulations("sandbox").list().page()).data[0];
  await until(async () => (await client.simulations("sandbox").list().page()).total > known);
  running.kill("SIGINT");
  expect(await running.exited).toBe(1);
  expect((await newest())!.state).toBe("canceled");
  await runSql(database, "DELETE FROM jobs WHERE id = 'occupied'");
});

const wrong: [words: string, plans: unknown, status: number, message: string][] = [
  ["none.json", undefined, 2, "none.json cannot be read."],
  ["wrong.json", "{", 2, "wrong.json is not JSON"],
  ["wrong.json", [], 1, "plans must be an object"],
  ["wrong.json", { silver: {} }, 1, "plans.silver must be a plan of the bucket"],
  ["wrong.json", { price_gold: { price: { ...price, currency: "USD" } } }, 1, "must be in EUR per month, as before"],
  ["wrong.json", { price_gold: { amount: "1" } }, 1, "plans.price_gold.amount is not a field"],
  ["gold.json --to 2041-01-01T00:00:00Z", undefined, 1, "to must not be in the future"],
  ["gold.json --since 500d", undefined, 1, "from must be at most 400 days before to"],
  ["gold.json --since yesterday", undefined, 2, "--since must be a time such as 2026-01-31T10:00:00Z, or 30d"],
  ["gold.json --bucket none", undefined, 1, "No such metering bucket."],
];

test.each(wrong)("tollgate plans simulate %s is rejected", async (words, plans, status, message) => {
  if (plans !== undefined)
    await writeFile(join(cli().folder, "wrong.json"), typeof plans === "string" ? plans : JSON.stringify(plans));
  const run = await cli().run(`plans simulate ${words}`);
  expect(run).toMatchObject({ status, stdout: "" });
  expect(run.stderr).toContain(message);
});
