import { write } from "../../../api/endpoint.ts";
import { portalScopes } from "../../../core/portal-scopes.ts";
import { Problem } from "../../../core/problems/problem.ts";
import { cancel } from "../../billing/periods/plan-changes.ts";
import type { Consumers } from "../../consumers/consumers.ts";
import { customerOf } from "../customer/customer.ts";
import { accountIn, subscriptionIn } from "../plans/offers.ts";
import { portalCookie } from "../sessions/cookie.ts";
import type { PortalSessions } from "../sessions/portal-sessions.ts";
import { settingsOf } from "../settings/present.ts";

const always = () => {};

/** Leaving the business for good. */
export function accountRoutes(
  { sessions, consumers }: { sessions: PortalSessions; consumers: Consumers },
  area: string,
) {
  return [
    write({
      operationId: "deletePortalAccount",
      method: "DELETE",
      path: "/portal/api/account",
      area,
      summary: "Delete the customer's account",
      description:
        "Its keys stop working and its plan ends at once, with a final invoice; nothing is refunded. Invoices are kept. Only a manager with " +
        "all scopes may do so.",
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
        const settings = settingsOf(await sessions.siteOf(input.request));
        if (settings.meteringBucket !== undefined) {
          const account = await accountIn(transaction, input.act, settings, consumer.name);
          const { current } = await subscriptionIn(transaction, account);
          if (current) await cancel(transaction, account.act, account.bucket, current.row.id, { timing: "now" });
        }
        const address = {
          accountSeq: input.account.seq,
          bucketName: bucket.name,
          consumerName: consumer.name,
          tags: [],
        };
        await consumers.delete(transaction, input.act, address, always);
        return { headers: { "set-cookie": portalCookie("", sessions.isSecure(input.request), 0) } };
      },
    }),
  ];
}
