import {
  type Decision,
  explainRequest,
  observationsOf,
  type Request,
  type RequestFeed,
  TollgateError,
} from "../../client/index.ts";
import { defineCommand } from "../arguments/command.ts";
import { argument, flag, integer, named, option, pastTime } from "../arguments/values.ts";
import { connectTo, remoteCommand, remoteOptions } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";
import { connectionNotes } from "../output/connection-notes.ts";
import { counted, hintAtOlder, milliseconds, printable, shortTime } from "../output/show.ts";
import { onInterrupt } from "../process/interrupt.ts";
import { UsageError } from "../process/usage-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const requests = group({
  name: "requests",
  summary: "Requests to deployments, and the reasons of their outcomes",
  default: "list",
  commands: {
    list: defineCommand({
      summary: "List the newest requests to deployments, or follow them",
      details:
        "Newest first; with --follow as they end. Requests above the recorded rate are counted. With --follow and --json: one JSON " +
        "object per line.",
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
        observed: flag("only what policies in observe would have rejected"),
        policy: option("with --observed: only what this policy would have rejected", named("NAME")),
        from: option("only since this time, such as -1h", pastTime),
        to: option("only before", pastTime),
        before: option("only before the request with this id, for the next page", named("ID")),
        limit: option("the maximum number; 100 by default, at most 1000", integer),
        ...remoteOptions,
      },
      examples: {
        "tollgate requests list --follow --status 4xx": "Rejected requests, live.",
        "tollgate requests list --consumer acme --from -1h": "The requests of acme in the last hour.",
        "tollgate requests list --observed --policy pace": "The requests that a policy in observe would have rejected.",
      },
      async run({ follow, json, profile, account, path: q, before, limit, observed, policy, ...rest }, context) {
        if (policy !== undefined && !observed) throw new UsageError("--policy needs --observed.");
        const filter = { ...rest, observed: observed ? (policy ?? "true") : undefined };
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
      },
    }),
    show: remoteCommand({
      summary: "Show a request with the decision of each policy",
      arguments: { id: argument("its id, such as req_0QGzNqW81Kx8VhTb3mPcRdZu") },
      examples: { "tollgate requests show req_0QGzNqW81Kx8VhTb3mPcRdZu": "All recorded fields." },
      call: (client, { id }) => client.requests.get(id),
    }),
  },
});

export const explain = remoteCommand({
  summary: "Explain the outcome of a request",
  details:
    "The id is a Tollgate id (req_…) or the x-request-id of the response. If several requests have it, the newest is explained.",
  arguments: { id: argument("the id of the request") },
  examples: {
    "tollgate explain 7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e":
      "429: consumer acme has used 1,000 of 1,000 requests of plan Gold in this period; …",
  },
  async call(client, { id }) {
    const request = await client.requests.find(id);
    if (request) return request;
    const detail =
      "There is no record of a request with this id. Records are written within a second and kept for a week by default.";
    throw new TollgateError({ status: 404, code: "not_found", detail });
  },
  show(request, terminal) {
    terminal.print(printable(explainRequest(request)));
    for (const warning of request.warnings ?? [])
      terminal.print(`${terminal.style("yellow", "Warning:")} ${printable(warning)}`);
    for (const line of linesOf(request, terminal)) terminal.print(line);
  },
});

function linesOf(request: Request, terminal: Terminal): string[] {
  const { id, requestId, time, method, path, deployment, version, durationMs, target } = request;
  const lines = [
    `${method} ${path} to ${deployment}${version === null ? "" : `, version ${version}`}, ${shortTime(time)}, ${milliseconds(durationMs)}`,
    `${id}, x-request-id ${requestId}`,
    ...request.decisions.map(decisionLine),
  ];
  if (target)
    lines.push(
      `${target.kind} ${target.url ?? target.module}: ${milliseconds(target.ms)}, ${counted(target.attempts, "attempt")}`,
    );
  return lines.map((line) => terminal.style("dim", printable(`  ${line}`)));
}

function decisionLine({ policy, type, outcome, code: observed, ms }: Decision): string {
  const code = observed === undefined ? "" : ` ${observed}`;
  return `${policy} (${type}): ${outcome}${code}${outcome === "skipped" ? "" : `, ${milliseconds(ms)}`}`;
}

/**
 * A request on one line: time, status, and the reason of a failure. The deployment is omitted if all requests belong to
 * one.
 */
function requestLine(terminal: Terminal, request: Request, isOfOne: boolean): string {
  const { time, status, method, path, durationMs, consumer, deployment, id } = request;
  const why = status < 400 ? observationsOf(request).join(" ") : explainRequest(request).replace(/^\d+: /, "");
  const parts = [
    terminal.style("dim", `${time.slice(0, 10)} ${time.slice(11, 23)}Z`),
    terminal.style(status >= 500 ? "red" : status >= 400 ? "yellow" : "green", String(status)),
    method,
    printable(path),
    terminal.style("dim", milliseconds(durationMs)),
    terminal.style("cyan", printable(consumer ?? "")),
    isOfOne ? "" : printable(deployment),
    terminal.style("dim", id),
    printable(why),
  ];
  return parts.filter((part) => part !== "").join(" ");
}
