import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { deploymentOptions, deploymentsOf } from "../../options/mount-options.ts";
import { findDomain, showDomain } from "../../output/domains.ts";

export const command = remoteCommand({
  summary: "Serve a domain by other deployments",
  details: "Replaces the deployment or all mounts of the domain. Applies to the next request.",
  arguments: { domain: argument("the domain's host or id") },
  options: deploymentOptions,
  examples: [
    {
      command:
        "tollgate domains update api.acme.example --mount /=shop-main-9f8e7d6 --mount /billing=billing-main-1a2b3c4,strip",
      text: "Two deployments on one host. The second one sees /invoices for /billing/invoices.",
    },
    {
      command: "tollgate domains update api.acme.example --deployment shop-main-9f8e7d6",
      text: "One deployment for all paths again.",
    },
  ],
  async call(client, { domain, ...deployments }) {
    const change = deploymentsOf(deployments);
    return client.domains.update((await findDomain(client, domain)).id, change);
  },
  show: showDomain,
});
