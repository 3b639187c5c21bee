import { argument, integer, percentage, requiredOption } from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";
import { canaryOptions, canaryRules } from "../options/canary-options.ts";
import { showTraffic } from "../output/traffic.ts";

const canary = resource({
  one: "a canary release",
  id: { name: argument("the deployment") },
  sample: "orders-main-3f9c2a1",
  api: (client) => client.traffic,
});

export const traffic = group({
  name: "traffic",
  summary: "Canary releases: a second version of a deployment with a share of the requests",
  commands: {
    show: canary.action({
      summary: "Show the versions that serve a deployment, with counts and latency",
      examples: "Requests, errors and latency of both versions.",
      call: (api, name) => api.get(name),
      show: showTraffic,
    }),
    split: canary.action({
      summary: "Start a canary release, or change the share of its version",
      options: {
        version: requiredOption("the number of the version", integer),
        percent: requiredOption("its share of the requests; the live version keeps the rest", percentage),
        ...canaryOptions,
      },
      examples: {
        "tollgate traffic split orders-main-3f9c2a1 --version 4 --percent 25 --abort-errors 2":
          "Replaces the rules too: without --abort-errors the release is not aborted.",
      },
      async call(api, name, { version, percent, stickyBy, abortErrors, abortMinimum }) {
        const rules = canaryRules({ stickyBy, abortErrors, abortMinimum });
        const { liveVersionNumber } = await api.get(name);
        const splits = [{ versionNumber: version, weight: percent }];
        // Without a live version the server explains why traffic cannot be divided.
        splits.unshift({ versionNumber: liveVersionNumber ?? version, weight: 100 - percent });
        return api.split(name, { splits, ...rules });
      },
      show: showTraffic,
    }),
    promote: canary.action({
      summary: "Make the canary the live version",
      examples: "It serves all requests.",
      call: (api, name) => api.promote(name),
      show({ liveVersionNumber }, terminal) {
        terminal.note(`Version ${liveVersionNumber} is live and serves all requests.`);
      },
    }),
    stop: canary.action({
      summary: "End the canary release: the live version serves all requests",
      examples: "The canary stays as a version.",
      async call(api, name) {
        await api.stop(name);
        return api.get(name);
      },
      show: showTraffic,
    }),
    test: canary.action({
      summary: "Create a header value that selects a version of the canary release, for an hour",
      options: { version: requiredOption("the number of the version", integer) },
      examples: {
        'curl -H "$(tollgate traffic test orders-main-3f9c2a1 --version 4)" http://orders-main-3f9c2a1.localhost:8787/orders':
          "Requests of your own to the canary, whatever its share.",
      },
      call: (api, name, { version }) => api.test(name, version),
      show({ header, value, expiresOn }, terminal) {
        terminal.note(`Valid until ${expiresOn}, while the canary release runs.`, "dim");
        terminal.print(`${header}: ${value}`);
      },
    }),
  },
});
