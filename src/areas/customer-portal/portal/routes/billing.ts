import { csvResponse } from "../../../../api/csv.ts";
import { type Input, list, read, stream, write } from "../../../../api/endpoint.ts";
import type { PortalScope } from "../../../../core/portal-scopes.ts";
import { notFound } from "../../../../core/problems/problem.ts";
import { unconditional } from "../../../../lib/http/etag.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import {
  type Customer,
  findCustomerIfAny,
  presentBuyer,
  updateCustomer,
} from "../../../commerce/billing/customers/customers.ts";
import { asDocument, InvoicePdfs } from "../../../commerce/billing/invoice-documents/invoice-response.ts";
import { findInvoice, type Invoice, listInvoices } from "../../../commerce/billing/invoices/invoices.ts";
import { presentInvoice } from "../../../commerce/billing/invoices/present-invoice.ts";
import { requiresBuyer } from "../../../commerce/billing/purchases/purchases.ts";
import { documentQuery } from "../../../commerce/billing/schemas/invoice-schema.ts";
import { customerOf } from "../customer/customer.ts";
import { accountIn } from "../plans/offers.ts";
import { billingDetails, billingPatch, portalInvoice } from "../plans/schema.ts";
import { settingsOf } from "../settings/present.ts";
import { ensureBuyer, signUpDetails } from "../sign-in/customers.ts";
import type { PlanServices } from "./plans.ts";

const invoicesPath = "/portal/api/invoices";
const billingPath = "/portal/api/billing";

type PortalInput = Pick<Input<string, unknown, unknown>, "caller" | "account" | "act" | "request">;

/** The customer's invoices, and the name and address on them. */
export function portalBillingRoutes({ hosts }: Pick<PlanServices, "hosts">) {
  const enter = async (reads: Reads, input: PortalInput, scope: PortalScope) => {
    const { consumer } = customerOf(input, scope);
    return accountIn(reads, input.act, settingsOf(await hosts.siteOf(input.request)), consumer.name);
  };
  const pdfs = new InvoicePdfs();
  return [
    list({
      operationId: "listPortalInvoices",
      path: invoicesPath,
      summary: "List the customer's invoices and credit notes",
      description: "Drafts are not shown.",
      access: "customer",
      item: portalInvoice,
      listName: "PortalInvoiceList",
      handle: async (input) => {
        const { bucket, customerKey } = await enter(input.reads, input, "invoices:read");
        const filter = { customerKey, isFinalized: true };
        const { data, total } = await listInvoices(input.reads, bucket, filter, input.query);
        return { data: data.map(shown), total };
      },
    }),
    stream({
      operationId: "getPortalInvoice",
      method: "GET",
      path: `${invoicesPath}/{invoiceId}`,
      summary: "Read an invoice",
      description:
        "Also as `text/html`, a page to print, as `application/pdf`, or as `text/csv`, selected by `Accept`.",
      access: "customer",
      query: documentQuery,
      otherTypes: ["text/html", "text/csv", "application/pdf"],
      response: portalInvoice,
      handle: async (input, request) => {
        const { bucket, customerKey } = await enter(input.reads, input, "invoices:read");
        const row = await findInvoice(input.reads, bucket, input.params.invoiceId);
        if (row.customer_key !== customerKey || row.status === "draft") throw notFound("invoice");
        const options = { asCsv: csvResponse, pdfs, ...input.query };
        return (await asDocument(input.reads, bucket, row, request, options)) ?? { body: shown(row), revision: row };
      },
    }),
    read({
      operationId: "getPortalBilling",
      path: billingPath,
      summary: "Read the name and address on the customer's invoices",
      access: "customer",
      response: billingDetails,
      handle: async (input) => {
        const { bucket, act, customerKey } = await enter(input.reads, input, "invoices:read");
        const row = await findCustomerIfAny(input.reads, bucket, customerKey);
        const known = row
          ? shownBuyer(row)
          : await signUpDetails(input.reads, customerOf(input, "invoices:read").consumer);
        return { body: { ...known, isRequired: await requiresBuyer(input.reads, act, bucket, row) } };
      },
    }),
    write({
      operationId: "updatePortalBilling",
      method: "PATCH",
      path: billingPath,
      summary: "Change the name and address on the customer's invoices",
      description: "Finalized invoices stay as they are. `null` clears a field.",
      access: "customer",
      body: billingPatch,
      response: billingDetails,
      handle: async (input, transaction) => {
        const { bucket, act, customerKey } = await enter(transaction, input, "plans:write");
        await ensureBuyer({ transaction, act, bucket }, customerOf(input, "plans:write").consumer);
        const row = await updateCustomer({ transaction, act, bucket }, customerKey, input.body, unconditional);
        return { body: { ...shownBuyer(row), isRequired: await requiresBuyer(transaction, act, bucket, row) } };
      },
    }),
  ];
}

function shown(invoice: Invoice) {
  const { customerKey: _, subscriptionId: __, ...rest } = presentInvoice(invoice);
  return rest;
}

function shownBuyer(customer: Customer) {
  const { customerKey: _, taxStatus: __, ...rest } = presentBuyer(customer);
  return rest;
}
