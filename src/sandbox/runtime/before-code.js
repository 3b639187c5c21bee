/**
 * Runs inside workerd, before the code of a project is evaluated: takes out of its reach what belongs to the server.
 * Code can replace every global that it sees, so what is needed later is kept here.
 */
import { AsyncLocalStorage } from "node:async_hooks";

const mostCharacters = 8 * 1024;
const mostLinesPerSecond = 1_000;

const requestIds = new AsyncLocalStorage();
const nativeConsole = globalThis.console;
const writeLine = nativeConsole.log.bind(nativeConsole);
const { parse, stringify } = JSON;
const now = Date.now;
const { get: readCall } = Object.getOwnPropertyDescriptor(Request.prototype, "cf");
const { apply } = Reflect;

let second = 0;
let linesInSecond = 0;

/** What the server says with a request: workerd reads it from a header and takes the header away. */
export function callOf(request) {
  return parse(apply(readCall, request, []).call);
}

/** So that lines of `console` are known to be of that request, whatever is awaited before they are written. */
export function inRequest(requestId, work) {
  return requestIds.run(requestId, work);
}

/** A line for the server. What is too much is dropped here: in the server it would cost the others time. */
function log(level, values, requestId) {
  const thisSecond = Math.floor(now() / 1000);
  if (thisSecond !== second) {
    second = thisSecond;
    linesInSecond = 0;
  }
  linesInSecond += 1;
  if (linesInSecond > mostLinesPerSecond + 1) return;
  if (linesInSecond <= mostLinesPerSecond) write(level, textOf(values), requestId);
  else {
    const message = `More than ${mostLinesPerSecond} lines in a second; the others of this second are dropped.`;
    write("warn", message, requestId);
  }
}

function write(level, message, requestId) {
  const cut = message.length > mostCharacters ? `${message.slice(0, mostCharacters)}… (cut)` : message;
  writeLine(stringify([level, cut, requestId]));
}

/** Objects of code can throw while they are read; a log line is no reason to fail. */
function textOf(values) {
  try {
    return values.map(textOfValue).join(" ");
  } catch {
    return "(a value that cannot be shown)";
  }
}

function textOfValue(value) {
  if (typeof value === "string") return value;
  if (value instanceof Error) return value.stack || String(value);
  if (typeof value !== "object" || value === null) return String(value);
  return stringify(value, plain) ?? String(value);
}

function plain(_name, value) {
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Error) return value.stack || String(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  return value;
}

function logBy(findRequestId) {
  return {
    debug: (...values) => log("debug", values, findRequestId()),
    info: (...values) => log("info", values, findRequestId()),
    warn: (...values) => log("warn", values, findRequestId()),
    error: (...values) => log("error", values, findRequestId()),
  };
}

/** Writes lines of one request. */
export function logOf(requestId) {
  return logBy(() => requestId);
}

const { debug, info, warn, error } = logBy(() => requestIds.getStore());
const silent = Object.fromEntries(Object.keys(nativeConsole).map((name) => [name, () => {}]));
globalThis.console = {
  ...silent,
  debug,
  trace: debug,
  log: info,
  info,
  dir: info,
  table: info,
  warn,
  error,
  assert: (condition, ...values) => condition || error("Assertion failed:", ...values),
};

delete Request.prototype.cf;

addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  error("Unhandled rejection:", event.reason);
});
