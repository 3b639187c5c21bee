import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, listOption, named, oneOf, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { addressOf, addressOption } from "../../metering/address-option.ts";
import { meteringBucket, meteringBucketOption } from "../../metering/metering-bucket.ts";

export const command = remoteCommand({
  summary: "Change what later invoices show of a customer",
  arguments: { customer: argument("the customer's name") },
  options: {
    ...meteringBucketOption,
    email: option("the address for invoices", named("EMAIL")),
    legalName: option("the name on invoices"),
    ...addressOption,
    taxId: listOption("a tax id; all of them", named("ID")),
    currency: option("the currency, such as EUR", named("CURRENCY")),
    spendCap: option("the customer's cap of the cost of overage in a period, such as 50.00", named("AMOUNT")),
    creditLimit: option("your cap of it; the lower one applies", named("AMOUNT")),
    capAction: option("what happens when the given caps are reached; block by default", oneOf("block", "notify")),
    ...clearOption("email", "legalName", "address", "taxIds", "currency", "spendCap", "creditLimit"),
  },
  examples: [
    {
      command: 'tollgate customers update acme --email billing@acme.example --legal-name "Acme Ltd"',
      text: "For the next invoice.",
    },
    {
      command: "tollgate customers update acme --address 'line1=1 High St' --address city=London --address country=GB",
      text: "Replaces the address.",
    },
    { command: "tollgate customers update acme --spend-cap 50.00", text: "Usage that would cost more is rejected." },
  ],
  async call(client, { customer, bucket, email, legalName, address, taxId, currency, clear, ...options }) {
    const taxIds = taxId.length === 0 ? undefined : taxId;
    const capOf = (amount: string | undefined) =>
      amount === undefined ? undefined : { amount, action: options.capAction ?? ("block" as const) };
    const caps = { spendCap: capOf(options.spendCap), creditLimit: capOf(options.creditLimit) };
    const changes = changesOf({ email, legalName, address: addressOf(address), taxIds, currency, ...caps }, clear);
    return client.customers(await meteringBucket(client, bucket)).update(customer, changes);
  },
  show: showFields,
});
