import { type BillingProfile, type BillingProfileInput, etagOf, TollgateError } from "../../../client/index.ts";
import { changesOf, clearOption } from "../../arguments/changes.ts";
import { integer, listOption, named, oneOf, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { addressOf, addressOption } from "../../options/address-option.ts";
import { UsageError } from "../../process/usage-error.ts";

type TaxRate = NonNullable<BillingProfileInput["taxRates"]>[number];

/** The same name may have a rate in each country: VAT=19,DE and VAT=20,GB. */
const taxRate = {
  placeholder: "NAME=PERCENTAGE[,COUNTRY]",
  parse(text: string): TaxRate {
    const [, name, percentage, country] = /^(.+)=([^,]*)(?:,(.*))?$/.exec(text) ?? [];
    if (name === undefined || percentage === undefined)
      throw new UsageError(`must be NAME=PERCENTAGE[,COUNTRY], not "${text}"`);
    return country === undefined ? { name, percentage } : { name, percentage, country };
  },
};

export const command = remoteCommand({
  summary: "Set the billing profile, or change some of its fields",
  details: "Drafts that waited for it are finalized. Invoices keep the profile of their time.",
  arguments: {},
  options: {
    legalName: option("the name of the seller"),
    ...addressOption,
    taxId: option("the tax id of the seller", named("ID")),
    numberPrefix: option("begins the number of each invoice", named("TEXT")),
    termsDays: option("the days from an invoice to its due date", integer),
    graceDays: option("the days from a failed payment to the end of access", integer),
    taxRate: listOption("a tax of customers in COUNTRY, or of all customers; replaces all rates", taxRate),
    taxBehavior: option("whether prices are without tax or include it", oneOf("exclusive", "inclusive")),
    ...clearOption("taxId", "termsDays", "graceDays", "taxRates", "taxBehavior"),
  },
  examples: [
    {
      command:
        "tollgate billing set --legal-name 'Weather GmbH' --address 'line1=Hauptstr. 1' --address country=DE --number-prefix W- --tax-rate VAT=19,DE",
      text: "Invoices can be finalized from then on.",
    },
    { command: "tollgate billing set --terms-days 30", text: "The other fields stay." },
  ],
  async call(client, { legalName, address, taxRate, clear, ...values }) {
    const { taxId, numberPrefix, termsDays, graceDays, taxBehavior } = values;
    const given = { legalName, address: addressOf(address), taxId, numberPrefix, termsDays, graceDays, taxBehavior };
    const changes = Object.entries(
      changesOf({ ...given, taxRates: taxRate.length === 0 ? undefined : taxRate }, clear),
    );
    const current = await client.billing.profile().catch(undefinedIfMissing);
    const fields: Record<string, unknown> = current ? settingsOf(current) : {};
    for (const [field, value] of changes) {
      if (value === null) delete fields[field];
      else fields[field] = value;
    }
    for (const [field, flag] of needed)
      if (fields[field] === undefined) throw new UsageError(`A new billing profile needs --${flag}.`);
    // The server replaces the profile as a whole. Concurrent changes of other fields are not reverted.
    const options = current ? { ifMatch: etagOf(current) } : {};
    return client.billing.setProfile(fields as unknown as BillingProfileInput, options);
  },
  show: showFields,
});

const needed = [
  ["legalName", "legal-name"],
  ["address", "address"],
  ["numberPrefix", "number-prefix"],
] as const;

function settingsOf({ createdOn: _, updatedOn: __, ...fields }: BillingProfile): Record<string, unknown> {
  return fields;
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof TollgateError && error.status === 404) return undefined;
  throw error;
}
