import type { AccountReference, Act, Caller } from "../../../../core/access.ts";
import type { PortalScope } from "../../../../core/portal-scopes.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { ConsumerAddress, ConsumerFinder } from "../../../api-keys/consumer-addresses/consumer-address.ts";
import type { PortalHosts } from "../hosts/portal-hosts.ts";
import { accountIn } from "../plans/offers.ts";
import { settingsOf } from "../settings/present.ts";

/** A request with a portal session. */
export interface CustomerInput {
  caller: Caller;
  account: AccountReference;
  act: Act;
  request: HttpRequest;
}

export interface CustomerServices {
  hosts: PortalHosts;
  consumers: ConsumerFinder;
}

/**
 * Enters an operation as the customer of a portal session. Every operation gets its consumer from here, never from the
 * request, and names the scope that it needs. Throws `portal_scope_missing`.
 */
export function customerEntrance({ hosts, consumers }: CustomerServices) {
  const enter = async ({ caller, request }: CustomerInput, scope: PortalScope | undefined) => {
    const customer = caller.customer!;
    if (scope !== undefined && !customer.scopes.includes(scope))
      throw new Problem("portal_scope_missing", { detail: `The portal session lacks the scope ${scope}.` });
    const site = await hosts.siteOf(request);
    return { ...customer, site, settings: settingsOf(site) };
  };
  const found = async (
    input: CustomerInput,
    scope: PortalScope,
    find: (address: ConsumerAddress) => ReturnType<ConsumerFinder["find"]>,
  ) => {
    const customer = await enter(input, scope);
    const { bucketName, consumer: known } = customer;
    const address = { accountSeq: input.account.seq, bucketName, consumerName: known.name, tags: [] };
    const { bucket, consumer } = await find(address);
    // Another consumer may have got the name since the session was read.
    if (consumer.seq !== known.seq) throw new Problem("session_required");
    return { ...customer, bucket, consumer };
  };
  const lock = (transaction: WriteTransaction, input: CustomerInput, scope: PortalScope) =>
    found(input, scope, (address) => consumers.findForUpdate(transaction, address));
  return {
    enter,
    /** Also reads the consumer. */
    find: (reads: Reads, input: CustomerInput, scope: PortalScope) =>
      found(input, scope, (address) => consumers.find(reads, address)),
    /** Also locks the consumer. */
    lock,
    /** Also reads the metering bucket. Throws 404 if the portal has none. */
    async withAccount(reads: Reads, input: CustomerInput, scope: PortalScope | undefined) {
      const customer = await enter(input, scope);
      return { ...customer, account: await accountIn(reads, input.act, customer.settings, customer.consumer.name) };
    },
    /** For a purchase. Locks the consumer: an account that is deleted at the same time must not buy anything afterwards. */
    async lockToBuy(transaction: WriteTransaction, input: CustomerInput) {
      const customer = await lock(transaction, input, "plans:write");
      const account = await accountIn(transaction, input.act, customer.settings, customer.consumer.name);
      return { ...customer, account };
    },
  };
}
