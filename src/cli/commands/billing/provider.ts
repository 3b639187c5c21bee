import { oneOf, optionOr } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show how invoices are paid",
  arguments: {},
  options: {
    mode: optionOr("whose invoices: test is for test buckets, live for all others", "live", oneOf("live", "test")),
  },
  examples: [{ command: "tollgate billing provider --mode test", text: "For test buckets." }],
  call: (client, { mode }) => client.billing.provider(mode),
  show: showFields,
});
