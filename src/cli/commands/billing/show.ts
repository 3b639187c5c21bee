import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show the billing profile: the seller and the terms of payment",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate billing show", text: "What invoices say of you." }],
  call: (client) => client.billing.profile(),
  show: showFields,
});
