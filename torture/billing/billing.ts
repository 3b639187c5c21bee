import { BillingProperties } from "../../test/support/billing-properties.ts";
import type { Engine } from "../../test/support/engines.ts";
import { startServer } from "../../test/support/server.ts";
import type { Part, Torture } from "../part.ts";

/** Subscriptions to which anything happens, compared with a model of what must be billed. */
export const billing: Part = async (torture) => {
  for (const engine of torture.effort.billingEngines) await tortureEngine(engine, torture);
};

async function tortureEngine(engine: Engine, { random, effort: { billingRuns }, report }: Torture): Promise<void> {
  const server = await startServer(engine);
  try {
    const properties = await BillingProperties.open(engine, server);
    try {
      const seed = random.branch(engine.name).integer(0, 2 ** 31 - 1);
      const numRuns = Math.ceil(billingRuns / 3);
      await properties.billsOnce({ numRuns, seed });
      await properties.coversOnce({ numRuns, seed });
      await properties.sharesGrants({ numRuns, seed });
      report(`${engine.name}: ${3 * numRuns} subscriptions, each unit and each fee billed once`);
    } finally {
      await properties.close();
    }
  } finally {
    await server.stop();
  }
}
