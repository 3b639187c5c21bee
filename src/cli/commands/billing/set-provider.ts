import { oneOf, optionOr, requiredOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Set how invoices are paid from now on",
  details: "manual: you mark them as paid. sandbox: payment methods without money, for tests.",
  arguments: {},
  options: {
    mode: optionOr("of test buckets, or of all others", "live", oneOf("live", "test")),
    type: requiredOption("the provider", oneOf("manual", "sandbox")),
  },
  examples: [{ command: "tollgate billing set-provider --mode test --type manual", text: "For test buckets." }],
  call: (client, { mode, type }) => client.billing.setProvider(mode, type),
  show: showFields,
});
