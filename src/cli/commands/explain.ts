import { type Decision, explainRequest, type Request, TollgateError } from "../../client/index.ts";
import { argument } from "../arguments/values.ts";
import { remoteCommand } from "../connection/remote.ts";
import { counted, milliseconds, printable, shortTime } from "../output/show.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const command = remoteCommand({
  summary: "Explain the outcome of a request",
  details:
    "The id is a Tollgate id (req_…) or the x-request-id of the response. If several requests have it, the newest is explained.",
  arguments: { id: argument("the id of the request") },
  options: {},
  examples: [
    {
      command: "tollgate explain 7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e",
      text: "429: consumer acme has used 1,000 of 1,000 requests of plan Gold in this period; …",
    },
  ],
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

function decisionLine({ policy, type, outcome, ms }: Decision): string {
  return `${policy} (${type}): ${outcome}${outcome === "skipped" ? "" : `, ${milliseconds(ms)}`}`;
}
