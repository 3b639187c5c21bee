import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { bucketPath, inBucket } from "../../metering-buckets/in-bucket.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { customerWarnings } from "../../metering-buckets/shared-customers.ts";
import {
  amountsDue,
  type Customer,
  findCustomer,
  listCustomers,
  presentCustomer,
  presentWithBalances,
  removePaymentMethod,
  revisionOfCustomer,
  setSandboxMethod,
} from "../customers/customers.ts";
import { listTestMails } from "../invoices/billing-mails.ts";
import { paymentMethodInput } from "../payments/provider-schema.ts";
import { changeCustomer } from "../periods/grant-actions.ts";
import { customer, customerPatch, customersQuery, testMail } from "../schemas/customer-schema.ts";

const customersPath = `${bucketPath}/customers` as const;
const customerPath = `${customersPath}/{customerKey}` as const;
const methodPath = `${customerPath}/payment-method` as const;

async function reply(reads: Reads, bucket: MeteringBucket, row: Customer, now: number) {
  const body = await presentWithBalances(reads, bucket, row, now);
  const warnings = await customerWarnings(reads, bucket, row.customer_key);
  const shown = warnings.length === 0 ? body : { ...body, warnings };
  return { body: shown, revision: revisionOfCustomer(bucket, row), composed: true };
}

export function customerRoutes() {
  return [
    inBucket.list({
      operationId: "listCustomers",
      path: customersPath,
      summary: "List customers",
      access: "read",
      query: customersQuery,
      item: customer,
      listName: "CustomerList",
      handle: async ({ reads, bucket, query }) => {
        const { data, total } = await listCustomers(reads, bucket, query);
        const keys = data.map(({ customer_key }) => customer_key);
        const due = await amountsDue(reads, bucket, keys);
        const present = (row: Customer) => {
          const amountDue = due.get(row.customer_key);
          return { ...presentCustomer(row), ...(amountDue === undefined ? {} : { amountDue }) };
        };
        return { data: data.map(present), total };
      },
    }),
    inBucket.read({
      operationId: "getCustomer",
      path: customerPath,
      summary: "Read a customer",
      description: "A customer exists from the first subscription of its `customerKey` on.",
      access: "read",
      response: customer,
      handle: async ({ reads, bucket, now, params }) =>
        reply(reads, bucket, await findCustomer(reads, bucket, params.customerKey), now),
    }),
    inBucket.write({
      operationId: "updateCustomer",
      method: "PATCH",
      path: customerPath,
      summary: "Change a customer",
      description:
        "Finalized invoices keep the customer as it was. New caps apply to usage from now on. `null` clears a field.",
      access: "bill",
      body: customerPatch,
      response: customer,
      handle: async ({ context, bucket, params, body, precondition }, transaction) => {
        const row = await changeCustomer(context, params.customerKey, body, precondition);
        return reply(transaction, bucket, row, context.act.now);
      },
    }),
    inBucket.write({
      operationId: "setPaymentMethod",
      method: "PUT",
      path: methodPath,
      summary: "Set the sandbox payment method of a customer",
      description: "Returns 409 if Stripe collects the invoices of the bucket: the customer sets the method there.",
      access: "bill",
      body: paymentMethodInput,
      response: customer,
      problems: ["payment_method_at_provider"],
      handle: async ({ context, bucket, params, body, precondition }, transaction) => {
        const row = await setSandboxMethod(context, params.customerKey, body, precondition);
        return reply(transaction, bucket, row, context.act.now);
      },
    }),
    inBucket.remove({
      operationId: "deletePaymentMethod",
      path: methodPath,
      summary: "Remove the payment method of a customer",
      description:
        "Returns 409 if it is a method at Stripe, which would keep charging it: the customer removes it there.",
      access: "bill",
      problems: ["payment_method_at_provider"],
      handle: ({ context, params, precondition }) => removePaymentMethod(context, params.customerKey, precondition),
    }),
  ];
}

export function testMailRoutes() {
  return [
    inBucket.list({
      operationId: "listTestMails",
      path: `${bucketPath}/mails`,
      summary: "List the mail of a test bucket",
      description: "It is stored for inspection, and never sent. Other buckets have none here.",
      access: "bill",
      notForAssistants: "Mail contains addresses that sign in or pay.",
      item: testMail,
      listName: "TestMailList",
      handle: async ({ reads, bucket, query }) => {
        const { data, total } = await listTestMails(reads, bucket.seq, query);
        const shown = data.map(({ id, kind, recipient, subject, body_text, body_html, due_on }) => ({
          id,
          kind,
          to: recipient,
          subject: subject!,
          text: body_text!,
          html: body_html!,
          createdOn: formatDateTime(due_on),
        }));
        return { data: shown, total };
      },
    }),
  ];
}
