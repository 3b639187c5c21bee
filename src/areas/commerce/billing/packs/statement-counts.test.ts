import { expect, test } from "bun:test";
import { recordingStatements } from "../../../../../test/support/counted-statements.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { ensureCustomer } from "../customers/customers.ts";
import { setProfile } from "../settings/settings.ts";
import { presentPurchases } from "./pack-purchases.ts";
import { createPack } from "./packs.ts";
import { listPurchases, purchasePack } from "./purchases.ts";

const address = { line1: "Hauptstr. 1", country: "DE" };
const grant = { currency: "EUR", amount: "50.00" };

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("a page of purchases is read with as many statements as one of them", async () => {
    const { open, clock } = storage;
    const account = await MeteringAccount.create(open, clock);
    const { act, bucket } = account;
    const buy = (packExternalId: string) =>
      open.write(async (transaction) => {
        const context = { transaction, act, bucket };
        const price = { currency: "EUR", amount: "10.00" };
        await createPack(context, { packExternalId, label: packExternalId, price, grant });
        await ensureCustomer(context, "acme");
        await purchasePack(context, "acme", packExternalId);
      });
    const statementsOf = async (count: number) => {
      const { data } = await listPurchases(open.reads, bucket, "acme", { limit: 100, offset: 0 });
      const recorded = recordingStatements(open);
      const { reads } = recorded.storage;
      const shown = await presentPurchases(reads, act, bucket, "acme", data, { refundedOn: act.now, withUrl: true });
      expect(shown).toHaveLength(count);
      return recorded.statements.length;
    };
    const profile = { legalName: "Seller", address, numberPrefix: "I-" };
    await open.write((transaction) => setProfile(transaction, act, profile, () => {}));
    await buy("first");
    const one = await statementsOf(1);
    for (const name of ["second", "third", "fourth"]) await buy(name);
    expect(await statementsOf(4)).toBe(one);
  });
});
