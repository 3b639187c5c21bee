import { findDomain, showDomain } from "../../support/domains.ts";
import { remoteCommand } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

export const command = remoteCommand({
  summary: "Show a domain with the DNS records to set",
  arguments: { domain: argument("the domain's host or id") },
  options: {},
  examples: [
    { command: "tollgate domains show api.acme.example", text: "Its status, its records and its certificate." },
  ],
  call: (client, { domain }) => findDomain(client, domain),
  show: showDomain,
});
