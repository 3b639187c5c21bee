import { BillingProperties } from "../../test/support/billing-properties.ts";
import { startServer } from "../../test/support/server.ts";
import type { Part } from "../part.ts";

/**
 * Random events of subscriptions, invoices, payments, credit packs and top-ups, on two nodes if the engine allows it:
 * no customer gets back more than was received, each pack is granted once, and each unit is covered once.
 */
export const money: Part = async ({ random, effort: { moneySeconds, moneyRuns, billingEngines }, report }) => {
  for (const engine of billingEngines) {
    const server = await startServer(engine);
    try {
      const properties = await BillingProperties.open(engine, server);
      try {
        const seed = random.branch(engine.name).integer(0, 2 ** 31 - 1);
        const limit = (moneySeconds * 1000) / billingEngines.length;
        const numRuns = await properties.returnsReceived({
          seed,
          numRuns: moneyRuns,
          ...(Number.isFinite(limit) ? { interruptAfterTimeLimit: limit } : {}),
        });
        report(`${engine.name}: ${numRuns} subscriptions, no fee returned more than it received`);
      } finally {
        await properties.close();
      }
    } finally {
      await server.stop();
    }
  }
};
