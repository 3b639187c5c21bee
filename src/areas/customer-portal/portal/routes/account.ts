import { write } from "../../../../api/endpoint.ts";
import { portalScopes } from "../../../../core/portal-scopes.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { unconditional } from "../../../../lib/http/etag.ts";
import { findManager } from "../../../api-keys/consumer-managers/managers.ts";
import type { Consumers } from "../../../api-keys/consumers/consumers.ts";
import { deleteCheckouts } from "../../../commerce/billing/payments/checkouts.ts";
import { endSubscriptions } from "../../../commerce/billing/purchases/open-invoices.ts";
import { customerOf } from "../customer/customer.ts";
import type { PortalHosts } from "../hosts/portal-hosts.ts";
import { accountIn } from "../plans/offers.ts";
import { portalCookie } from "../sessions/cookie.ts";
import { settingsOf } from "../settings/present.ts";
import { recordLeft, signUpMailbox } from "../sign-in/former-customers.ts";
import { mailAccount } from "../sign-in/mail.ts";

/** Leaving the business for good. */
export function portalAccountRoutes({ hosts, consumers }: { hosts: PortalHosts; consumers: Consumers }) {
  return [
    write({
      operationId: "deletePortalAccount",
      method: "DELETE",
      path: "/portal/api/account",
      summary: "Delete the customer's account",
      description:
        "Its keys stop working, its plans end at once, with a final invoice, and so do purchases that are not paid; nothing is refunded. " +
        "Invoices are kept. Only a manager with all scopes may do so. They cannot sign up again for 31 days, and get no trial for a year.",
      access: "customer",
      problems: ["portal_scope_missing"],
      handle: async (input, transaction) => {
        const customer = customerOf(input, "people:write");
        const hasAll = portalScopes.every((scope) => customer.scopes.includes(scope));
        if (!hasAll || customer.managerId === undefined)
          throw new Problem("portal_scope_missing", {
            detail: "Only a manager with all scopes may delete the account.",
          });
        const { bucket, consumer } = await customer.findForUpdate(consumers, transaction);
        const settings = settingsOf(await hosts.siteOf(input.request));
        if (settings.meteringBucket !== undefined) {
          const account = await accountIn(transaction, input.act, settings, consumer.name);
          await endSubscriptions({ transaction, act: account.act, bucket: account.bucket }, consumer.name);
          await deleteCheckouts(transaction, account.bucket, consumer.name);
        }
        const mailboxes = [
          await signUpMailbox(transaction, consumer.seq),
          (await findManager(transaction, consumer, customer.managerId)).email_key ?? undefined,
        ];
        for (const mailbox of new Set(mailboxes))
          if (mailbox !== undefined)
            await recordLeft(transaction, { portalId: customer.portalId, mailbox }, input.act.now);
        const address = {
          accountSeq: input.account.seq,
          bucketName: bucket.name,
          consumerName: consumer.name,
          tags: [],
        };
        await consumers.delete(transaction, input.act, address, unconditional);
        const about = { portalId: customer.portalId, consumerId: consumer.id };
        for (const recipient of new Set(mailboxes))
          if (recipient !== undefined)
            await mailAccount(transaction, input.act, { kind: "account-deleted", recipient, ...about });
        return { headers: { "set-cookie": portalCookie("", hosts.isSecure(input.request), 0) } };
      },
    }),
  ];
}
