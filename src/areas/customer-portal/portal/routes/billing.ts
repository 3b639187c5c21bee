import { csvTable } from "../../../../api/csv.ts";
import { list, read, stream, write } from "../../../../api/endpoint.ts";
import { presentPage } from "../../../../api/presented.ts";
import { notFound } from "../../../../core/problems/problem.ts";
import { unconditional } from "../../../../lib/http/etag.ts";
import { findCustomerIfAny, presentBuyer, updateCustomer } from "../../../commerce/billing/customers/customers.ts";
import { asDocument, InvoicePdfs } from "../../../commerce/billing/invoice-documents/invoice-response.ts";
import { findInvoice, listInvoices } from "../../../commerce/billing/invoices/invoices.ts";
import { presentInvoice } from "../../../commerce/billing/invoices/present-invoice.ts";
import { requiresBuyer } from "../../../commerce/billing/purchases/purchases.ts";
import { documentQuery } from "../../../commerce/billing/schemas/invoice-schema.ts";
import { type CustomerServices, customerEntrance } from "../customer/customer.ts";
import { billingDetails, billingPatch, portalInvoice } from "../plans/schema.ts";
import { ensureBuyer, signUpDetails } from "../sign-in/customers.ts";

const invoicesPath = "/portal/api/invoices";
const billingPath = "/portal/api/billing";

/** The customer's invoices, and the name and address on them. */
export function portalBillingRoutes(services: CustomerServices) {
  const { withAccount } = customerEntrance(services);
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
        const { bucket, customerKey } = (await withAccount(input.reads, input, "invoices:read")).account;
        const filter = { customerKey, isFinalized: true };
        return presentPage(await listInvoices(input.reads, bucket, filter, input.query), presentInvoice);
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
      handle: async (input) => {
        const { bucket, customerKey } = (await withAccount(input.reads, input, "invoices:read")).account;
        const row = await findInvoice(input.reads, bucket, input.params.invoiceId);
        if (row.customer_key !== customerKey || row.status === "draft") throw notFound("invoice");
        const options = { asCsv: csvTable, pdfs, ...input.query };
        const document = await asDocument(input.reads, bucket, row, input.request, options);
        return document ?? { body: presentInvoice(row), revision: row };
      },
    }),
    read({
      operationId: "getPortalBilling",
      path: billingPath,
      summary: "Read the name and address on the customer's invoices",
      access: "customer",
      response: billingDetails,
      handle: async (input) => {
        const { account, consumer } = await withAccount(input.reads, input, "invoices:read");
        const { bucket, act, customerKey } = account;
        const row = await findCustomerIfAny(input.reads, bucket, customerKey);
        const known = row ? presentBuyer(row) : await signUpDetails(input.reads, consumer);
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
        const { account, consumer } = await withAccount(transaction, input, "plans:write");
        const { bucket, act, customerKey } = account;
        await ensureBuyer({ transaction, act, bucket }, consumer);
        const row = await updateCustomer({ transaction, act, bucket }, customerKey, input.body, unconditional);
        return { body: { ...presentBuyer(row), isRequired: await requiresBuyer(transaction, act, bucket, row) } };
      },
    }),
  ];
}
