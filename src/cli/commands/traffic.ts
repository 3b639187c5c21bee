import { argument, integer, requiredOption } from "../arguments/values.ts";
import { remoteCommand } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";
import { canaryOptions, canaryRules, percentage } from "../options/canary-options.ts";
import { showTraffic } from "../output/traffic.ts";

export const traffic = group({
  name: "traffic",
  summary: "Canary releases: a second version of a deployment with a share of the requests",
  commands: {
    show: remoteCommand({
      summary: "Show the versions that serve a deployment, with counts and latency",
      arguments: { name: argument("the deployment") },
      examples: { "tollgate traffic show orders-main-3f9c2a1": "Requests, errors and latency of both versions." },
      call: (client, { name }) => client.traffic.get(name),
      show: showTraffic,
    }),
    split: remoteCommand({
      summary: "Start a canary release, or change the share of its version",
      arguments: { name: argument("the deployment") },
      options: {
        version: requiredOption("the number of the version", integer),
        percent: requiredOption("its share of the requests; the live version keeps the rest", percentage),
        ...canaryOptions,
      },
      examples: {
        "tollgate traffic split orders-main-3f9c2a1 --version 4 --percent 25 --abort-errors 2":
          "Replaces the rules too: without --abort-errors the release is not aborted.",
      },
      async call(client, { name, version, percent, stickyBy, abortErrors, abortMinimum }) {
        const rules = canaryRules({ stickyBy, abortErrors, abortMinimum });
        const { liveVersionNumber } = await client.traffic.get(name);
        const splits = [{ versionNumber: version, weight: percent }];
        // Without a live version the server explains why traffic cannot be divided.
        splits.unshift({ versionNumber: liveVersionNumber ?? version, weight: 100 - percent });
        return client.traffic.split(name, { splits, ...rules });
      },
      show: showTraffic,
    }),
    promote: remoteCommand({
      summary: "Make the canary the live version",
      arguments: { name: argument("the deployment") },
      examples: { "tollgate traffic promote orders-main-3f9c2a1": "It serves all requests." },
      call: (client, { name }) => client.traffic.promote(name),
      show({ liveVersionNumber }, terminal) {
        terminal.note(`Version ${liveVersionNumber} is live and serves all requests.`);
      },
    }),
    stop: remoteCommand({
      summary: "End the canary release: the live version serves all requests",
      arguments: { name: argument("the deployment") },
      examples: { "tollgate traffic stop orders-main-3f9c2a1": "The canary stays as a version." },
      async call(client, { name }) {
        await client.traffic.stop(name);
        return client.traffic.get(name);
      },
      show: showTraffic,
    }),
    test: remoteCommand({
      summary: "Create a header value that selects a version of the canary release, for an hour",
      arguments: { name: argument("the deployment") },
      options: { version: requiredOption("the number of the version", integer) },
      examples: {
        'curl -H "$(tollgate traffic test orders-main-3f9c2a1 --version 4)" http://orders-main-3f9c2a1.localhost:8787/orders':
          "Requests of your own to the canary, whatever its share.",
      },
      call: (client, { name, version }) => client.traffic.test(name, version),
      show({ header, value, expiresOn }, terminal) {
        terminal.note(terminal.noteStyle("dim", `Valid until ${expiresOn}, while the canary release runs.`));
        terminal.print(`${header}: ${value}`);
      },
    }),
  },
});
