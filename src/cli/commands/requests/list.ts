import type { Request, RequestFeed } from "../../../client/index.ts";
import { defineCommand } from "../../arguments/command.ts";
import { flag, integer, named, option, pastTime } from "../../arguments/values.ts";
import { connectTo, remoteOptions } from "../../connection/remote.ts";
import { connectionNotes } from "../../output/connection-notes.ts";
import { requestLine } from "../../output/request-line.ts";
import { counted, hintAtOlder } from "../../output/show.ts";
import { onInterrupt } from "../../process/interrupt.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = defineCommand({
  summary: "List the newest requests to deployments, or follow them",
  details:
    "Newest first; with --follow as they end. Requests above the recorded rate are counted. With --follow and --json: one JSON " +
    "object per line.",
  arguments: {},
  options: {
    follow: flag("show new requests until Ctrl-C", "f"),
    deployment: option("only requests to this deployment", named("NAME")),
    status: option("only this status, such as 429 or 4xx", named("STATUS")),
    method: option("only this method", named("METHOD")),
    route: option("only this route, such as /orders/{id}, or unknown for paths without one", named("PATH")),
    consumer: option("only this consumer; '' for none", named("NAME")),
    consumerId: option("only the consumer with this id, of those with the same name", named("ID")),
    requestId: option("only with this x-request-id", named("ID")),
    path: option("only with this text in the path"),
    from: option("only since this time, such as -1h", pastTime),
    to: option("only before", pastTime),
    before: option("only before the request with this id, for the next page", named("ID")),
    limit: option("the maximum number; 100 by default, at most 1000", integer),
    ...remoteOptions,
  },
  examples: [
    { command: "tollgate requests list --follow --status 4xx", text: "Rejected requests, live." },
    { command: "tollgate requests list --consumer acme --from -1h", text: "The requests of acme in the last hour." },
  ],
  async run({ follow, json, profile, account, path: q, before, limit, ...filter }, context) {
    const { terminal } = context;
    const noteOmitted = ({ successes, failures }: RequestFeed["omitted"]) => {
      if (successes + failures > 0)
        terminal.note(
          `${successes.toLocaleString("en")} successful and ${counted(failures, "failed request")} in that time ` +
            "exceeded the recorded rate and are not stored.",
        );
    };
    const line = (request: Request) => requestLine(terminal, request, filter.deployment !== undefined);
    const past = { from: filter.from, to: filter.to, before, limit };
    const given = Object.entries(past).filter(([, value]) => value !== undefined);
    if (follow && given.length > 0)
      throw new UsageError(`--${given[0]![0]} cannot be combined with --follow, which shows only new requests.`);
    const client = await connectTo({ profile, account }, context);
    if (!follow) {
      const feed = await client.requests.list({ ...filter, q, before, limit });
      if (json) terminal.printJson(feed);
      else {
        for (const request of feed.data) terminal.print(line(request));
        hintAtOlder(terminal, feed.data, limit ?? 100);
      }
      if (feed.data.length === 0) terminal.note("There are no such requests.");
      noteOmitted(feed.omitted);
      return undefined;
    }
    const signal = onInterrupt();
    try {
      const notes = { onOmitted: noteOmitted, ...connectionNotes(terminal) };
      for await (const request of client.requests.follow({ ...filter, q, signal, ...notes }))
        terminal.print(json ? JSON.stringify(request) : line(request));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return undefined;
  },
});
