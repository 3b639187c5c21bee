import { type Input, list, read, write } from "../../../api/endpoint.ts";
import type { PortalScope } from "../../../core/portal-scopes.ts";
import { invalid } from "../../../core/problems/problem.ts";
import { unconditional } from "../../../lib/http/etag.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { listCustomerEntries } from "../../billing/credit-grants/grants.ts";
import { presentCustomerEntry } from "../../billing/credit-grants/present-grant.ts";
import { findCustomer, topUpOf } from "../../billing/customers/customers.ts";
import { publicPacks } from "../../billing/packs/packs.ts";
import { needsPaymentPage, purchasePack } from "../../billing/packs/purchases.ts";
import { providerFor } from "../../billing/payments/providers.ts";
import { changeCustomer } from "../../billing/periods/cap-actions.ts";
import { previewPackPurchase } from "../../billing/purchases/pack-preview.ts";
import { requireBuyer } from "../../billing/purchases/purchases.ts";
import { creditEntriesQuery } from "../../billing/schemas/grant-schema.ts";
import type { purchaseStates } from "../../billing/schemas/pack-schema.ts";
import { creditOverviewOf } from "../credit/overview.ts";
import {
  boughtPack,
  creditOverview,
  creditPatch,
  packChoice,
  packPreview,
  portalCreditEntry,
} from "../credit/schema.ts";
import { customerOf } from "../customer/customer.ts";
import { checkoutUrl } from "../plans/checkout-url.ts";
import { forCustomer, withoutCustomer } from "../plans/for-customer.ts";
import { accountIn, type CustomerAccount } from "../plans/offers.ts";
import { settingsOf } from "../settings/present.ts";
import { ensureBuyer } from "../sign-in/customers.ts";
import type { PlanServices } from "./plans.ts";

const creditPath = "/portal/api/credit";

type PortalInput = Pick<Input<string, unknown, unknown>, "caller" | "account" | "act" | "request">;

/** The customer's credit: what is left, buying more, and the automatic top-up. */
export function portalCreditRoutes({ hosts, storage, consumers }: PlanServices, area: string) {
  const enter = async (reads: Reads, input: PortalInput, scope: PortalScope) => {
    const { consumer, scopes } = customerOf(input, scope);
    const account = await accountIn(reads, input.act, settingsOf(await hosts.siteOf(input.request)), consumer.name);
    return { account, maySeeCredit: scopes.includes("usage:read") };
  };
  /** Locks the customer: an account that is deleted at the same time must not buy anything afterwards. */
  const enterToBuy = async (transaction: WriteTransaction, input: PortalInput) => {
    const { consumer } = await customerOf(input, "plans:write").findForUpdate(consumers, transaction);
    const entered = await enter(transaction, input, "plans:write");
    const { act, bucket } = entered.account;
    await ensureBuyer(transaction, act, bucket, consumer);
    return entered;
  };
  return [
    read({
      operationId: "getPortalCredit",
      path: creditPath,
      area,
      summary: "Read the customer's credit, and what there is to buy",
      description: "Needs the scope `usage:read` or `plans:write`.",
      access: "customer",
      response: creditOverview,
      handle: async (input) => {
        const { scopes } = customerOf(input, undefined);
        const entered = await enter(input.reads, input, scopes.includes("plans:write") ? "plans:write" : "usage:read");
        return { body: await creditOverviewOf(input.reads, entered.account, entered) };
      },
    }),
    list({
      operationId: "listPortalCreditHistory",
      path: `${creditPath}/history`,
      area,
      summary: "List the history of the customer's credit",
      description: "Usage is entered at the end of each hour.",
      access: "customer",
      query: creditEntriesQuery,
      item: portalCreditEntry,
      listName: "PortalCreditHistory",
      handle: async (input) => {
        const { account } = await enter(input.reads, input, "usage:read");
        const { data, total } = await listCustomerEntries(
          input.reads,
          account.bucket,
          account.customerKey,
          input.query,
        );
        return { data: data.map(shownEntry), total };
      },
    }),
    read({
      operationId: "previewPortalPack",
      method: "POST",
      path: `${creditPath}/$preview`,
      area,
      summary: "Preview the purchase of credit",
      description: "Returns the invoice that it would create, with tax. Nothing is changed.",
      access: "customer",
      body: packChoice,
      response: packPreview,
      problems: ["purchase_unavailable", "payment_in_progress", "credit_pack_not_payable"],
      handle: async (input) => {
        const { account } = await enter(input.reads, input, "plans:write");
        const { act, bucket, customerKey } = account;
        await requirePublic(input.reads, account, input.body.packExternalId);
        const { invoice, expiresOn } = await forCustomer(
          previewPackPurchase(storage, act, bucket, customerKey, input.body.packExternalId),
        );
        return { body: { invoice: withoutCustomer(invoice), ...(expiresOn === undefined ? {} : { expiresOn }) } };
      },
    }),
    write({
      operationId: "buyPortalPack",
      method: "POST",
      path: `${creditPath}/$purchase`,
      area,
      summary: "Buy credit",
      description:
        "The customer pays at `url`. There is none if the payment method has paid or is being charged, or if the business does " +
        "not collect payments online: then an invoice says how to pay.",
      access: "customer",
      body: packChoice,
      response: boughtPack,
      problems: ["purchase_unavailable", "payment_in_progress", "credit_pack_not_payable", "buyer_details_missing"],
      handle: async (input, transaction) => {
        const { account } = await enterToBuy(transaction, input);
        const { act, bucket, customerKey } = account;
        await requirePublic(transaction, account, input.body.packExternalId);
        await requireBuyer(transaction, act, bucket, customerKey);
        const bought = await forCustomer(
          purchasePack(transaction, act, bucket, customerKey, input.body.packExternalId),
        );
        const state = bought.state as (typeof purchaseStates)[number];
        const provider = await providerFor(transaction, act, bucket);
        if (!(await needsPaymentPage(transaction, bucket, bought, provider))) return { body: { state } };
        return { body: { state, url: await checkoutUrl(hosts, transaction, input, account, "credit") } };
      },
    }),
    write({
      operationId: "updatePortalCredit",
      method: "PATCH",
      path: creditPath,
      area,
      summary: "Change the automatic top-up",
      description: "`null` removes it. The pack is one that the customer can buy, or the one that was set before.",
      access: "customer",
      body: creditPatch,
      response: creditOverview,
      problems: ["top_up_unavailable"],
      handle: async (input, transaction) => {
        const { account, maySeeCredit } = await enterToBuy(transaction, input);
        const { act, bucket, customerKey } = account;
        const { topUp } = input.body;
        if (topUp) {
          const before = topUpOf(await findCustomer(transaction, bucket, customerKey));
          if (topUp.packExternalId !== before?.packExternalId)
            await requirePublic(transaction, account, topUp.packExternalId, "/topUp/packExternalId");
        }
        await changeCustomer(transaction, act, bucket, customerKey, { topUp }, unconditional);
        return { body: await creditOverviewOf(transaction, account, { maySeeCredit }) };
      },
    }),
  ];
}

/** Throws 400 if customers cannot buy the pack. */
async function requirePublic(
  reads: Reads,
  { bucket }: CustomerAccount,
  packExternalId: string,
  pointer = "/packExternalId",
): Promise<void> {
  const packs = await publicPacks(reads, bucket);
  if (!packs.some(({ external_id }) => external_id === packExternalId))
    throw invalid(pointer, "is not credit that you can buy");
}

/** Without what is the business's own: the grant, its balance and its funding, the subscription and the invoice. */
function shownEntry(row: Parameters<typeof presentCustomerEntry>[0]) {
  const { grantId, balance, funding, subscriptionId, invoiceId, ...shown } = presentCustomerEntry(row);
  return shown;
}
