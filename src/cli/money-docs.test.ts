import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { useCli } from "../../test/support/use-cli.ts";
import type { Consumer, Customer, Invoice, Page, Subscription } from "../client/index.ts";

/** Runs the commands in the tables of refunds.md and failed-payments.md, each where a reader would need it. */
const bench = useCli();
const cli = () => bench.cli;

const commandsOf = (name: string): string[] => {
  const page = readFileSync(join(import.meta.dir, "../../docs", name), "utf8");
  // A name alone, and one that ends with an ellipsis, mean any options.
  return [...page.matchAll(/`(tollgate [a-z-]+ [a-z-]+ [^`]+)(?<! …)`/g)].map(([, command]) => command!);
};

/** Checks that the page has this command, and runs it. `ID` in it is the id. */
function documented(page: string) {
  const commands = commandsOf(page);
  const left = new Set(commands);
  return {
    left,
    async run(beginning: string, id = "") {
      const command = commands.find((each) => each.startsWith(`tollgate ${beginning}`));
      if (command === undefined) throw new Error(`${page} has no command that begins with ${beginning}: ${commands}`);
      left.delete(command);
      const words = [...command.slice("tollgate ".length).matchAll(/"([^"]*)"|(\S+)/g)];
      const result = await cli().run([
        ...words.map(([, quoted, word]) => quoted ?? word!.replace(/^ID$/, id)),
        "--json",
      ]);
      return { ...result, json: () => JSON.parse(result.stdout) };
    },
  };
}

let month = 1;
/** Moves the clock to the next renewal of acme. Returns its open invoice, which is paid if the method succeeds. */
async function nextInvoice(): Promise<Invoice> {
  month += 1;
  await cli().json(`metering move-clock shop --to 2040-${String(month).padStart(2, "0")}-01T00:00:00Z`);
  const { data } = await cli().json<Page<Invoice>>("invoices list --customer acme --status open");
  return cli().json<Invoice>(["invoices", "show", data.at(-1)!.id]);
}

const subscription = () => cli().json<Subscription>("subscriptions show acme");

beforeAll(async () => {
  const seller = "billing set --address line1=Street --address country=DE --number-prefix W- --legal-name Weather";
  for (const words of [
    seller,
    "metering create --name shop --test",
    "metering move-clock shop --to 2040-01-01T00:00:00Z",
    "buckets create main",
    "consumers create acme",
    "plans create gold --meter requests=100 --price 30.00 --currency EUR",
    "credits create credits --price 10.00 --currency EUR --meter requests --amount 100",
    "subscriptions create acme --plan gold",
    "customers set-payment-method acme --behavior succeeds",
  ]) {
    const { status, stderr } = await cli().run(words);
    if (status !== 0) throw new Error(`${words}: ${stderr}`);
  }
});

test("each command of docs/refunds.md does what the page says", async () => {
  const { run, left } = documented("refunds.md");
  const [{ id }] = (await cli().json<Page<Invoice>>("invoices list --customer acme")).data as [Invoice];
  expect(await cli().json<Invoice>(["invoices", "collect", id])).toMatchObject({ status: "paid" });
  const refund = (await run("invoices credit", id)).json();
  expect(refund).toMatchObject({ type: "credit-note", total: "5.00", refund: { amount: "5.00", state: "succeeded" } });
  const balances = async () => (await cli().json<Customer>("customers show acme")).balances ?? [];
  expect(await balances()).toEqual([]);
  // "The same without --to": what was paid becomes a money grant.
  await cli().json(["invoices", "credit", id, "--amount", "5.00", "--description", "Outage on 3 May"]);
  expect(await balances()).toEqual([{ currency: "EUR", amount: "5.00" }]);
  expect((await run("grants create acme")).json()).toMatchObject({ amount: "25.00", funding: "promotional" });

  const sold = await cli().json<{ purchaseId: string }>("credits sell acme credits --return-url https://acme.example/");
  expect((await run("credits purchases acme")).json()).toMatchObject({ data: [{ id: sold.purchaseId }] });
  expect((await run("credits refund acme", sold.purchaseId)).json()).toMatchObject({ amount: "10.00" });

  await cli().json("customers set-payment-method acme --behavior fails");
  await cli().json("subscriptions create globex --plan gold");
  const { data } = await cli().json<Page<Invoice>>("invoices list --customer globex --status open");
  expect((await run("invoices void", data[0]!.id)).json()).toMatchObject({ status: "void", amountDue: "0.00" });
  const before = await balances();
  expect((await run("subscriptions cancel acme")).json()).toMatchObject({ status: "canceled" });
  expect(await balances()).not.toEqual(before);
  expect([...left]).toEqual([]);
});

test("each command of docs/failed-payments.md does what the page says", async () => {
  const { run, left } = documented("failed-payments.md");
  for (const grant of (await cli().json<Page<{ id: string }>>("grants list acme")).data)
    await cli().run(["grants", "void", "acme", grant.id]);
  await cli().json("subscriptions create acme --plan gold");
  await cli().json("customers set-payment-method acme --behavior fails");
  const failed = await nextInvoice();
  await cli().json("metering move-clock shop --to 2040-02-05T00:00:00Z");
  expect(await subscription()).toMatchObject({ status: "unpaid", payment: { state: "failed" } });
  expect((await run("invoices list --status open")).json().data.length).toBeGreaterThan(0);
  // Only Stripe has such a page.
  const portal = await run("customers payment-portal acme");
  expect(portal).toMatchObject({ status: 1, stderr: expect.stringContaining("payment_page_missing") });

  await cli().json("customers set-payment-method acme --behavior succeeds");
  for (const { id } of (await cli().json<Page<Invoice>>("invoices list --customer acme --status open")).data)
    expect((await run("invoices collect", id)).json()).toMatchObject({ status: "paid" });
  expect(await cli().json(["invoices", "show", failed.id])).toMatchObject({ status: "paid" });
  expect(await subscription()).toMatchObject({ status: "active" });

  await cli().json("customers set-payment-method acme --behavior fails");
  expect((await run("invoices mark-paid", (await nextInvoice()).id)).json()).toMatchObject({
    reference: "transfer 4711",
  });
  expect((await run("invoices void", (await nextInvoice()).id)).json()).toMatchObject({ status: "void" });
  expect((await run("invoices mark-uncollectible", (await nextInvoice()).id)).json()).toMatchObject({
    status: "uncollectible",
  });
  expect((await run("subscriptions pause acme")).json()).toMatchObject({ status: "inactive" });
  await run("consumers suspend");
  expect(await cli().json<Consumer>("consumers show acme")).toMatchObject({ isSuspended: true, suspensionReason: "…" });
  expect([...left]).toEqual([]);
});
