import type { DeploymentLogLine } from "../../client/index.ts";
import type { Style, Terminal } from "../terminal/terminal.ts";
import { milliseconds, printable } from "./show.ts";

/** A log line of a deployment, for people: time, source and message. */
export function logLine(terminal: Terminal, line: DeploymentLogLine): string {
  const clock = terminal.style("dim", line.time.slice(11, 23));
  if (line.kind !== "access") {
    const level = terminal.style(levelStyles[line.level], line.level.padEnd(5));
    return `${clock} ${level} ${terminal.style("dim", line.kind)} ${printable(line.message)}`;
  }
  const { status = 0, method = "", path = "", durationMs, consumer } = line;
  const parts = [
    terminal.style(status >= 500 ? "red" : status >= 400 ? "yellow" : "green", String(status)),
    method,
    printable(path),
    terminal.style("dim", durationMs === undefined ? "" : milliseconds(durationMs)),
    terminal.style("cyan", consumer ?? ""),
    printable(reasonIn(line)),
  ];
  return `${clock} ${parts.filter((part) => part !== "").join(" ")}`;
}

/** The reason of a failed request: the part of the message after the request itself. */
function reasonIn({ method = "", path = "", status = 0, message }: DeploymentLogLine): string {
  const request = `${method} ${path} ${status}: `;
  return message.startsWith(request) ? message.slice(request.length) : "";
}

const levelStyles: Record<DeploymentLogLine["level"], Style> = {
  debug: "dim",
  info: "cyan",
  warn: "yellow",
  error: "red",
};
