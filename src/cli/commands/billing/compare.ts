import { named, oneOf, option, optionOr } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { showList } from "../../output/show.ts";

export const command = remoteCommand({
  summary: "Compare invoices with those at Stripe",
  details: "Shows invoices whose status or amount is not the same, or that only one side has. Changes nothing.",
  arguments: {},
  options: {
    mode: optionOr("whose invoices: test is for test buckets, live for all others", "live", oneOf("live", "test")),
    since: option("only invoices since then; by default 30 days ago", named("TIME")),
  },
  examples: [{ command: "tollgate billing compare --since 2026-01-01T00:00:00Z", text: "This year's invoices." }],
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
});

function sideOf(side: { status: string; amount: number } | undefined): string {
  return side ? `${side.amount} ${side.status}` : "";
}
