import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installProgram } from "./support/cli.ts";
import { sqlite } from "./support/engines.ts";
import { commandsIn, runPasted } from "./support/pasted-commands.ts";
import { adminToken } from "./support/server-settings.ts";
import { methods } from "./support/stripe/book.ts";
import { announce, useStripeScene, webhookSecret } from "./support/stripe/stripe-scene.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";

const scene = useStripeScene(sqlite);
const { stripe } = scene;
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("stripe-docs");
});
afterAll(() => folder.remove());

/** The customer opens the address, and enters a card at Stripe. */
async function payAt(url: string): Promise<void> {
  const response = await fetch(scene.server.url + new URL(url).pathname, { redirect: "manual" });
  expect(response.status).toBe(303);
  stripe.book.completeSession([...stripe.book.sessions.values()].at(-1)!, methods.succeeds);
  await announce(scene, "test");
}

test("the commands of docs/stripe.md work as pasted", async () => {
  const files = { key: "sk_live_1", secret: webhookSecret, "test-key": "sk_test_1", "test-secret": webhookSecret };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder.path, name), `${content}\n`);
  const bin = await installProgram(folder.path);
  const run = (blocks: string[]) =>
    runPasted(blocks, {
      cwd: folder.path,
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        HOME: folder.path,
        TOLLGATE_URL: scene.server.url,
        TOLLGATE_TOKEN: adminToken,
      },
      before: "exec 2>&1",
    });
  stripe.book.defaultMethod = null;
  const blocks = commandsIn(readFileSync(join(import.meta.dir, "../docs/stripe.md"), "utf8"));
  expect(blocks).toHaveLength(5);
  const [set, compared, left, bought] = await run(blocks.slice(0, 4));
  expect(set).toMatch(/Type +stripe[\s\S]*payment-provider\/live\/events/);
  expect(compared).toContain("0 invoices since 2026-01-01T00:00:00.000Z are the same at Stripe.");
  expect(left).toMatch(/Type +manual/);
  const url = /https?:\/\/\S+\/v1\/checkouts\/\S+/.exec(bought!)![0];
  await payAt(url);
  const [paid] = await run(blocks.slice(4));
  expect(paid).toMatch(/STRIPE-\w+ +acme[\s\S]*paid[\s\S]*1 invoices since \S+ are the same at Stripe\./);
});
