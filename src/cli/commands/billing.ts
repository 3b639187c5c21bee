import { readFile } from "node:fs/promises";
import { type BillingProfile, type BillingProfileInput, etagOf } from "../../client/index.ts";
import { changesOf, clearOption, withChanges } from "../arguments/changes.ts";
import {
  flag,
  formed,
  integer,
  listOption,
  named,
  oneOf,
  option,
  optionOr,
  requiredOption,
} from "../arguments/values.ts";
import { ifFound, remoteCommand } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";
import { addressOf, addressOption } from "../options/address-option.ts";
import { showList } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";

/** The same name may have a rate in each country: VAT=19,DE and VAT=20,GB. */
const taxRate = formed("NAME=PERCENTAGE[,COUNTRY]", /^(.+)=([^,]*)(?:,(.*))?$/, (name, percentage, country) => ({
  name,
  percentage,
  ...(country === undefined ? {} : { country }),
}));

const modeOption = {
  mode: optionOr("whose invoices: test is for test buckets, live for all others", "live", oneOf("live", "test")),
};

export const billing = group({
  name: "billing",
  summary: "The seller that invoices name, and how they are paid",
  commands: {
    show: remoteCommand({
      summary: "Show the billing profile: the seller and the terms of payment",
      examples: { "tollgate billing show": "The seller that invoices name." },
      call: (client) => client.billing.profile(),
    }),
    set: remoteCommand({
      summary: "Set the billing profile, or change some of its fields",
      details: "Drafts that waited for it are finalized. Invoices keep the profile of their time.",
      options: {
        legalName: option("the name of the seller"),
        ...addressOption,
        taxId: option("the tax id of the seller", named("ID")),
        numberPrefix: option("begins the number of each invoice", named("TEXT")),
        termsDays: option("the days from an invoice to its due date", integer),
        graceDays: option("the days from a failed payment to the end of access", integer),
        taxRate: listOption("a tax of customers in COUNTRY, or of all customers; replaces all rates", taxRate),
        taxBehavior: option("whether prices are without tax or include it", oneOf("exclusive", "inclusive")),
        buyerAddress: option(
          "whether customers of portals must enter a name and an address",
          oneOf("optional", "required"),
        ),
        ...clearOption("taxId", "termsDays", "graceDays", "taxRates", "taxBehavior", "buyerAddress"),
      },
      examples: {
        "tollgate billing set --legal-name 'Weather GmbH' --address 'line1=Hauptstr. 1' --address country=DE --number-prefix W- --tax-rate VAT=19,DE":
          "Invoices can be finalized from then on.",
        "tollgate billing set --terms-days 30": "The other fields stay.",
      },
      async call(client, { legalName, address, taxRate: taxRates, clear, ...values }) {
        const { taxId, numberPrefix, termsDays, graceDays, taxBehavior, buyerAddress } = values;
        const seller = { legalName, address: addressOf(address), taxId, numberPrefix };
        const terms = { termsDays, graceDays, taxRates, taxBehavior, buyerAddress };
        const changes = changesOf({ ...seller, ...terms }, clear);
        const current = await ifFound(client.billing.profile());
        const { createdOn: _, updatedOn: __, ...settings }: Partial<BillingProfile> = current ?? {};
        const fields = withChanges(settings, changes);
        for (const [field, flag] of needed)
          if (fields[field] === undefined) throw new UsageError(`A new billing profile needs --${flag}.`);
        // The server replaces the profile as a whole. Concurrent changes of other fields are not reverted.
        const options = current ? { ifMatch: etagOf(current) } : {};
        return client.billing.setProfile(fields as unknown as BillingProfileInput, options);
      },
    }),
    provider: remoteCommand({
      summary: "Show how invoices are paid",
      options: modeOption,
      examples: { "tollgate billing provider --mode test": "For test buckets." },
      call: (client, { mode }) => client.billing.provider(mode),
    }),
    "set-provider": remoteCommand({
      summary: "Set how invoices are paid from now on",
      details:
        "manual: you mark them as paid. sandbox: payment methods without money, for tests. stripe: Stripe collects them; its credentials are " +
        "read from files; without one of the files, the stored credential is kept. Another type erases them.",
      options: {
        ...modeOption,
        type: requiredOption("the provider", oneOf("manual", "sandbox", "stripe")),
        secretKeyFile: option("a file with the secret key of Stripe", named("FILE")),
        webhookSecretFile: option("a file with the signing secret of the webhook endpoint at Stripe", named("FILE")),
        force: flag("leave Stripe even if it has invoices that are not finished, which it keeps charging for"),
      },
      examples: { "tollgate billing set-provider --mode test --type manual": "For test buckets." },
      async call(client, { mode, type, secretKeyFile, webhookSecretFile, force }) {
        const secretKey = await contentOf(secretKeyFile);
        const webhookSecret = await contentOf(webhookSecretFile);
        return client.billing.setProvider(mode, type, { secretKey, webhookSecret, ...(force && { force }) });
      },
    }),
    compare: remoteCommand({
      summary: "Compare invoices with those at Stripe",
      details: "Shows invoices whose status or amount is not the same, or that only one side has. Changes nothing.",
      options: {
        ...modeOption,
        since: option("only invoices since then; by default 30 days ago", named("TIME")),
      },
      examples: { "tollgate billing compare --since 2026-01-01T00:00:00Z": "This year's invoices." },
      call: (client, { mode, since }) => client.billing.compare(mode, since === undefined ? {} : { since }),
      show: ({ differences, compared, since, isTruncated }, terminal) => {
        if (isTruncated) terminal.note(`There are too many invoices: only those since ${since} were compared.`);
        if (differences.length === 0) terminal.print(`${compared} invoices since ${since} are the same at Stripe.`);
        else
          showList(
            terminal,
            differences.map(({ ours, stripe, ...rest }) => ({ ...rest, ours: sideOf(ours), stripe: sideOf(stripe) })),
            ["kind", "invoiceId", "number", "stripeId", "ours", "stripe", "detail"],
          );
      },
    }),
  },
});

const needed = [
  ["legalName", "legal-name"],
  ["address", "address"],
  ["numberPrefix", "number-prefix"],
] as const;

async function contentOf(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function sideOf(side: { status: string; amount: number } | undefined): string {
  return side ? `${side.amount} ${side.status}` : "";
}
