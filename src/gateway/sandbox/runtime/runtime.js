/** Runs inside workerd: hands requests to the code of a project and reports the outcome to the server. */

// Must stay first: modules are evaluated in the order of their imports, and the code must find everything taken away.
import "./before-code.js";

import modules from "code";
import initialEnvironment from "environment";
import settings from "settings";
import {
  callOf,
  encoded,
  freeze,
  headOf,
  inRequest,
  isBodyUsed,
  isRequest,
  isResponse,
  logOf,
  newRequest,
  newResponse,
  readJson,
  statusOf,
  withoutHeader,
} from "./before-code.js";

let environment = freeze(initialEnvironment);

// A version whose code cannot be called does not start.
for (const module of Object.keys(modules)) functionOf(module);

const outcomeStatus = 599;
const outcomeHeader = "x-tollgate-outcome";
const messageHeader = "x-tollgate-message";
const mostMessageCharacters = 1_000;

export default {
  fetch(request, _bindings, execution) {
    const call = callOf(request);
    if (call.run === "ping") return newResponse(null, 204);
    if (call.run === "environment") return setEnvironment(request);
    const run = call.run === "handler" ? handle : decide;
    // To follow a request costs a tenth of what a short handler takes: only those pay it who can have use of it.
    if (settings.usesConsole) return inRequest(call.requestId, () => run(call, request, execution));
    return run(call, request, execution);
  },
};

async function setEnvironment(request) {
  environment = freeze(await readJson(request));
  return newResponse(null, 204);
}

/** Without a promise where the code has none: to wait for one costs workerd as much as to run a short handler. */
function handle(call, request, execution) {
  try {
    const response = functionOf(call.module)(request, contextFor(call, call.context, execution));
    return isResponse(response) ? checked(response) : handleLater(call, response);
  } catch (error) {
    return threw(call, error);
  }
}

async function handleLater(call, promise) {
  try {
    const response = await promise;
    if (isResponse(response)) return checked(response);
    throw new TypeError(`${call.module} returned ${kindOf(response)}, not a Response`);
  } catch (error) {
    return threw(call, error);
  }
}

async function decide(call, request, execution) {
  try {
    const { head, context } = await readJson(request);
    const seen = newRequest(head);
    const decision = await functionOf(call.module)(seen, contextFor(call, context, execution));
    if (decision === undefined || decision === null) return outcome("proceed", null);
    if (isResponse(decision)) return checked(decision);
    if (!isRequest(decision)) {
      throw new TypeError(`${call.module} returned ${kindOf(decision)}, not a Response, a Request or undefined`);
    }
    return outcome("proceed", headOf(decision));
  } catch (error) {
    return threw(call, error);
  }
}

function threw({ requestId }, error) {
  logOf(requestId).error(error);
  return outcome("threw", null, messageOf(error));
}

function functionOf(module) {
  const found = modules[module]?.default;
  if (typeof found === "function") return found;
  throw new TypeError(`${module} has no function as its default export`);
}

/** Named one by one: to spread what was parsed takes V8 3 µs. */
function contextFor({ requestId }, { user, params, route, options, traceparent }, execution) {
  const log = logOf(requestId);
  const waitUntil = (promise) => execution.waitUntil(settled(promise, log));
  return { requestId, user, params, route, options, traceparent, environment, log, waitUntil };
}

async function settled(promise, log) {
  try {
    await promise;
  } catch (error) {
    log.error(error);
  }
}

/** What would make workerd itself fail while it sends the response, where nobody could know whose fault it was. */
function checked(response) {
  if (isBodyUsed(response)) throw new TypeError("The Response's body has been used already");
  // Each check costs: what only applies to one status is checked only for that.
  const status = statusOf(response);
  if (status === 101) throw new TypeError("Code cannot accept WebSockets");
  if (status !== outcomeStatus) return response;
  // A copy: code still holds the headers of the other, and could add to them before they are sent.
  const copy = withoutHeader(response, outcomeHeader);
  if (!copy) throw new TypeError(`The header ${outcomeHeader} is reserved`);
  return copy;
}

function outcome(name, body, message = "") {
  const headers = { __proto__: null, [outcomeHeader]: name, [messageHeader]: encoded(message) };
  return newResponse(body, outcomeStatus, headers);
}

/** The error and where it came from; our own frames are of no use to anybody. */
function messageOf(error) {
  if (!(error instanceof Error)) return `Thrown: ${String(error)}`.slice(0, mostMessageCharacters);
  const frames = (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line) && !/(runtime|before-code)\.js/.test(line));
  const text = [`${error.name}: ${error.message}`, ...frames.slice(0, 3)].join("\n");
  return text.slice(0, mostMessageCharacters).toWellFormed();
}

function kindOf(value) {
  return value === null ? "null" : value === undefined ? "undefined" : `a value of type ${typeof value}`;
}
