import type { Checkout, PaymentServices } from "../../areas/commerce/billing/payments/interface.ts";
import { type PaymentProviders, registerProviders } from "../../areas/commerce/billing/payments/providers.ts";
import { manual } from "../../areas/commerce/billing/providers/manual/manual.ts";
import { sandbox, sandboxService } from "../../areas/commerce/billing/providers/sandbox/sandbox.ts";
import { stripeRoutes } from "../../areas/commerce/billing/providers/stripe/service/stripe-routes.ts";
import { StripeService } from "../../areas/commerce/billing/providers/stripe/service/stripe-service.ts";
import { stripe } from "../../areas/commerce/billing/providers/stripe/stripe.ts";
import type { Payments } from "../../areas/commerce/billing/routes/routes.ts";
import type { MailQueue } from "../../areas/common/mail/mail-queue.ts";
import { logoUrl } from "../../areas/customer-portal/portal/logo.ts";
import { accentStyle } from "../../areas/customer-portal/portal/settings/accent.ts";
import { findLogo, portalOfMeteringBucket } from "../../areas/customer-portal/portal/settings/portals.ts";
import { settingsOf } from "../../areas/customer-portal/portal/settings/present.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import { Egress } from "../../platform/egress/egress.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import type { Foundation } from "../foundation/foundation.ts";

/** How late a payment that was requested may begin or continue. */
const paymentSeconds = 2;

export const paymentProviders: PaymentProviders = { manual, sandbox, stripe };

/** The look of the portal of a metering bucket's customers. */
async function checkoutLook(reads: Reads, { bucket }: Checkout) {
  const site = await portalOfMeteringBucket(reads, bucket);
  if (!site) return undefined;
  const { title, accentColor } = settingsOf(site);
  const logo = await findLogo(reads, site.id);
  return { title, style: accentStyle(accentColor), logo: logo && logoUrl(logo) };
}

/** The payment providers. */
export function openPayments(
  { config, clock, log, metrics, storage, lifecycle }: Foundation,
  { keyring, mail }: { keyring: Keyring; mail: MailQueue },
): Payments {
  const stripeService = new StripeService({
    storage,
    clock,
    log,
    keyring,
    egress: new Egress(config.egress),
    mail,
    url: config.stripeUrl,
    onAttempt: (hasSucceeded) => metrics.delivery("payment", hasSucceeded),
  });
  registerProviders(paymentProviders);
  lifecycle.onClose("calls of Stripe", () => stripeService.stop());
  const services: PaymentServices = { sandbox: sandboxService(checkoutLook), stripe: stripeService };
  const all = Object.values(services);
  const run = async (signal?: AbortSignal) => {
    for (const service of all) await service.run?.(signal);
  };
  lifecycle.every(paymentSeconds, "payments", run);
  return {
    services,
    endpoints: stripeRoutes(stripeService),
    run,
    removeOld: async (now, signal) => {
      for (const service of all) await service.removeOld?.(now, signal);
    },
  };
}
