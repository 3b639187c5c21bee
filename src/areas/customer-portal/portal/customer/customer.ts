import type { AccountReference, Caller } from "../../../../core/access.ts";
import type { PortalScope } from "../../../../core/portal-scopes.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { ConsumerFinder } from "../../../api-keys/consumer-addresses/consumer-address.ts";

export interface CustomerInput {
  caller: Caller;
  account: AccountReference;
}

/**
 * The customer of a portal session. Every operation gets its consumer from here, never from the request, and names the
 * scope that it needs.
 */
export function customerOf({ caller, account }: CustomerInput, scope: PortalScope | undefined) {
  const customer = caller.customer!;
  if (scope !== undefined && !customer.scopes.includes(scope))
    throw new Problem("portal_scope_missing", { detail: `The portal session lacks the scope ${scope}.` });
  const { bucketName, consumer } = customer;
  const address = { accountSeq: account.seq, bucketName, consumerName: consumer.name, tags: [] };
  const same = <Found extends { consumer: { seq: number } }>(found: Found): Found => {
    // Another consumer may have got the name since the session was read.
    if (found.consumer.seq !== consumer.seq) throw new Problem("session_required");
    return found;
  };
  return {
    ...customer,
    find: async (finder: ConsumerFinder, reads: Reads) => same(await finder.find(reads, address)),
    findForUpdate: async (finder: ConsumerFinder, transaction: WriteTransaction) =>
      same(await finder.findForUpdate(transaction, address)),
  };
}
