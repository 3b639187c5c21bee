import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = deleteCommand({
  summary: "Delete the payment method of a customer",
  details:
    "Later invoices stay open until they are marked as paid. A method at Stripe is removed by the customer, see tollgate customers payment-portal.",
  arguments: { customer: argument("the customer's name") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate customers delete-payment-method acme", text: "Asks first." }],
  what: ({ customer }) => `the payment method of ${customer}`,
  delete: async (client, { customer, bucket }) =>
    client.customers(await meteringBucket(client, bucket)).deletePaymentMethod(customer),
});
