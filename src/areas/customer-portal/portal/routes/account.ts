import { write } from "../../../../api/endpoint.ts";
import { portalScopes } from "../../../../core/portal-scopes.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { unconditional } from "../../../../lib/http/etag.ts";
import { findManager } from "../../../api-keys/consumer-managers/managers.ts";
import type { Consumers } from "../../../api-keys/consumers/consumers.ts";
import { deleteCheckouts } from "../../../commerce/billing/payments/checkouts.ts";
import { endSubscriptions } from "../../../commerce/billing/purchases/completion.ts";
import { type CustomerServices, customerEntrance } from "../customer/customer.ts";
import { accountIn } from "../plans/offers.ts";
import { portalCookies } from "../sessions/cookie.ts";
import { recordLeft, signUpMailbox } from "../sign-in/former-customers.ts";
import { mailAccount } from "../sign-in/mail.ts";

/** Leaving the business for good. */
export function portalAccountRoutes({ hosts, consumers }: CustomerServices & { consumers: Consumers }) {
  const { lock } = customerEntrance({ hosts, consumers });
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
      handle: async (input, transaction) => {
        const { bucket, consumer, managerId, portalId, scopes, settings } = await lock(
          transaction,
          input,
          "people:write",
        );
        if (!portalScopes.every((scope) => scopes.includes(scope)) || managerId === undefined)
          throw new Problem("portal_scope_missing", {
            detail: "Only a manager with all scopes may delete the account.",
          });
        if (settings.meteringBucket !== undefined) {
          const account = await accountIn(transaction, input.act, settings, consumer.name);
          await endSubscriptions({ transaction, act: account.act, bucket: account.bucket }, consumer.name);
          await deleteCheckouts(transaction, account.bucket, consumer.name);
        }
        const mailboxes = [
          await signUpMailbox(transaction, consumer.seq),
          (await findManager(transaction, consumer, managerId)).email_key ?? undefined,
        ];
        for (const mailbox of new Set(mailboxes))
          if (mailbox !== undefined) await recordLeft(transaction, { portalId, mailbox }, input.act.now);
        const address = {
          accountSeq: input.account.seq,
          bucketName: bucket.name,
          consumerName: consumer.name,
          tags: [],
        };
        await consumers.delete(transaction, input.act, address, unconditional);
        const about = { portalId, consumerId: consumer.id };
        for (const recipient of new Set(mailboxes))
          if (recipient !== undefined)
            await mailAccount(transaction, input.act, { kind: "account-deleted", recipient, ...about });
        return { headers: { "set-cookie": portalCookies.session.set("", hosts.isSecure(input.request), 0) } };
      },
    }),
  ];
}
