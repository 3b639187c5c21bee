import { explainRequest, observationsOf, type Request } from "../../client/index.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { milliseconds, printable } from "./show.ts";

/**
 * A request on one line: time, status, and the reason of a failure. The deployment is omitted if all requests belong to
 * one.
 */
export function requestLine(terminal: Terminal, request: Request, isOfOne: boolean): string {
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
