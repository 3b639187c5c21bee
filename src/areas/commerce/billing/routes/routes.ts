import { type AreaContext, areaOf } from "../../../../api/area.ts";
import type { Operation } from "../../../../api/endpoint.ts";
import { JobRunner } from "../../../common/background-jobs/job-runner.ts";
import { TopUps } from "../packs/top-ups.ts";
import { removeExpiredCheckouts } from "../payments/checkouts.ts";
import type { PaymentServices } from "../payments/interface.ts";
import { type BillingFailed, billDue, settleDueCredits } from "../periods/billing-job.ts";
import { storeRecurringFees } from "../periods/recurring-revenue.ts";
import { SpendThresholds } from "../periods/threshold-job.ts";
import { removeOldSimulations, simulatePage, simulationJobKind } from "../simulations/simulations.ts";
import { checkoutRoutes, paymentPortalRoutes } from "./checkouts.ts";
import { customerRoutes, testMailRoutes } from "./customers.ts";
import { grantRoutes } from "./grants.ts";
import { invoiceRoutes } from "./invoices.ts";
import { checkoutsPath, packPurchaseRoutes, packRoutes, purchaseRoutes } from "./packs.ts";
import { settingsRoutes } from "./settings.ts";
import { simulationRoutes } from "./simulations.ts";
import { billedSubscriptionRoutes, correctionRoutes } from "./subscriptions.ts";

/** How late an invoice may be that is due to time. */
const billingSeconds = 2;
/** The cost grows with the number of customers that have a cap. */
const spendingSeconds = 30;
/** How late an automatic top-up may be started. */
const topUpSeconds = 2;

/** The payment providers. */
export interface Payments {
  services: PaymentServices;
  /** The endpoints of single providers. */
  endpoints: Operation[];
  /** Continues the payments and refunds that are due. */
  run(): Promise<void>;
  removeOld(now: number, signal?: AbortSignal): Promise<void>;
}

export function billingArea(
  { storage, history, clock, log, keyring, lifecycle, address }: AreaContext,
  payments: Payments,
  held: Pick<ConstructorParameters<typeof TopUps>[0], "heldIn" | "heldSubscriptions">,
) {
  const billingFailed: BillingFailed = (error, failure) =>
    failure === "batch"
      ? log.warn("several customers could not be billed together; billing fewer at once", { error })
      : log.error("a subscription could not be billed; will retry", { error });
  const bill = async (signal?: AbortSignal) => {
    await billDue(storage, clock, billingFailed, signal);
    await settleDueCredits(storage, clock, billingFailed, signal);
  };
  lifecycle.every(billingSeconds, "billing", bill);
  lifecycle.every(60, "recurring fees", (signal) => storeRecurringFees(storage, clock.now(), signal));
  const thresholdFailed = (error: unknown) => log.error("spending could not be compared; will retry", { error });
  const spendThresholds = new SpendThresholds({ storage, clock, failed: thresholdFailed });
  lifecycle.every(spendingSeconds, "spend thresholds", (signal) => spendThresholds.announce(signal));
  const publicUrl = () => address.publicUrl;
  const topUps = new TopUps({
    storage,
    clock,
    ...held,
    page: {
      url: (token) => `${publicUrl()}${checkoutsPath}/${token}`,
      get returnUrl() {
        return publicUrl();
      },
    },
    failed: (error) => log.error("an automatic top-up could not be started; will retry", { error }),
  });
  lifecycle.every(topUpSeconds, "top-ups", (signal) => topUps.start(signal));
  // They only read, for minutes: no other job waits for them.
  const kinds = { [simulationJobKind]: simulatePage(history) };
  const simulations = new JobRunner({ name: "simulations", storage, clock, log, kinds });
  lifecycle.onClose("simulations", () => simulations.stop());

  const { services } = payments;
  const operations = [
    ...settingsRoutes({ keyring, publicUrl, payments: services }),
    ...payments.endpoints,
    ...customerRoutes(),
    ...grantRoutes(),
    ...correctionRoutes(),
    ...packRoutes(),
    ...packPurchaseRoutes(publicUrl),
    ...paymentPortalRoutes(services),
    ...invoiceRoutes(storage),
    ...simulationRoutes(),
    ...testMailRoutes(),
    ...billedSubscriptionRoutes(storage),
    ...purchaseRoutes(publicUrl),
    ...checkoutRoutes({ storage, payments: services }, { path: checkoutsPath, name: "" }),
  ];
  const about = "Customers, invoices and payments: what subscriptions cost, derived from plans, changes and usage.";
  return areaOf({ Billing: about }, operations, {
    removals: [
      (signal) => removeExpiredCheckouts(storage, clock.now(), signal),
      (signal) => removeOldSimulations(storage, clock.now(), signal),
      (signal) => payments.removeOld(clock.now(), signal),
    ],
    start: () => simulations.start(),
    async catchUp() {
      await bill();
      await topUps.start();
      await payments.run();
    },
  });
}
