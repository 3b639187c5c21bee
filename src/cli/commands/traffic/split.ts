import { argument, integer, requiredOption } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { canaryOptions, canaryRules, percentage } from "../../options/canary-options.ts";
import { showTraffic } from "../../output/traffic.ts";

export const command = remoteCommand({
  summary: "Start a canary release, or change the share of its version",
  arguments: { name: argument("the deployment") },
  options: {
    version: requiredOption("the number of the version", integer),
    percent: requiredOption("its share of the requests; the live version keeps the rest", percentage),
    ...canaryOptions,
  },
  examples: [
    {
      command: "tollgate traffic split orders-main-3f9c2a1 --version 4 --percent 25 --abort-errors 2",
      text: "Replaces the rules too: without --abort-errors the release is not aborted.",
    },
  ],
  async call(client, { name, version, percent, stickyBy, abortErrors, abortMinimum }) {
    const rules = canaryRules({ stickyBy, abortErrors, abortMinimum });
    const { liveVersionNumber } = await client.traffic.get(name);
    const splits = [{ versionNumber: version, weight: percent }];
    // Without a live version the server explains why traffic cannot be divided.
    splits.unshift({ versionNumber: liveVersionNumber ?? version, weight: 100 - percent });
    return client.traffic.split(name, { splits, ...rules });
  },
  show: showTraffic,
});
