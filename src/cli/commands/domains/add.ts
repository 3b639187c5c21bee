import { argument, flag } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { deploymentOptions, deploymentsOf } from "../../options/mount-options.ts";
import { activeDomain, showDomain } from "../../output/domains.ts";

export const command = remoteCommand({
  summary: "Serve a deployment on a custom domain",
  details: "Shows the DNS records to set. A claim that is not proven by its TXT record within seven days is removed.",
  arguments: { host: argument("a full domain name, such as api.acme.example") },
  options: {
    ...deploymentOptions,
    wait: flag("wait until the TXT record is found, at most 15 minutes"),
  },
  examples: [
    {
      command: "tollgate domains add api.acme.example --deployment orders-main-1a2b3c4",
      text: "Then set the DNS records that it shows.",
    },
    {
      command:
        "tollgate domains add api.acme.example --mount /=shop-main-9f8e7d6 --mount /billing=billing-main-1a2b3c4,strip",
      text: "Several deployments on one host, by path.",
    },
  ],
  async call(client, { host, deployment, mount, wait, json }, terminal) {
    const domain = await client.domains.create({ host, ...deploymentsOf({ deployment, mount }) });
    if (!wait) return domain;
    if (!json) showDomain(domain, terminal);
    return activeDomain(client, domain, terminal);
  },
  show: showDomain,
  exitCode: ({ status }, { wait }) => (wait && status === "pending" ? 1 : 0),
});
