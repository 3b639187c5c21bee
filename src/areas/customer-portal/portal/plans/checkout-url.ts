import type { Act } from "../../../../core/access.ts";
import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { createCheckout } from "../../../commerce/billing/payments/checkouts.ts";
import type { PortalHosts } from "../hosts/portal-hosts.ts";
import type { CustomerAccount } from "./offers.ts";

export const portalCheckoutsPath = "/portal/api/checkouts";

/** The address where the customer pays what is open, and comes back from to a page of the portal. */
export async function checkoutUrl(
  hosts: PortalHosts,
  transaction: WriteTransaction,
  { request, act }: { request: HttpRequest; act: Pick<Act, "now"> },
  { bucket, customerKey }: CustomerAccount,
  returnTo: "plans" | "credit" = "plans",
): Promise<string> {
  const origin = hosts.originOf(request);
  const urls = { returnUrl: `${origin}/${returnTo}?paid`, cancelUrl: `${origin}/${returnTo}` };
  const token = await createCheckout(transaction, bucket, { customerKey, ...urls }, act.now);
  return `${origin}${portalCheckoutsPath}/${token}`;
}
