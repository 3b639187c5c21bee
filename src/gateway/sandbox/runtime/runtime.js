/** Runs inside workerd: hands requests to the code of a project and reports the outcome to the server. */

// Must stay first: modules are evaluated in the order of their imports, and the code must find everything taken away.
import "./before-code.js";

import modules from "code";
import initialEnvironment from "environment";
import settings from "settings";
import {
  bodyOfRequest,
  bodyOfResponse,
  byteLength,
  callOf,
  encoded,
  frameOf,
  freeze,
  headOf,
  inRequest,
  isBodyUsed,
  isRequest,
  isRequestBodyUsed,
  isResponse,
  jsonOf,
  logOf,
  newRequest,
  newResponse,
  readFrame,
  readJson,
  readWholeFrame,
  responseHeadOf,
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
    const run = runs[call.run];
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
  let context;
  try {
    const received = await receive(call, request);
    const seen = newRequest(received.meta.head, received.body ?? null);
    const given = bodyOfRequest(seen);
    context = contextFor(call, received.meta.context, execution);
    if (call.keepsState) context.state = {};
    const decision = (await functionOf(call.module)(seen, context)) ?? undefined;
    if (isResponse(decision)) return checked(decision);
    if (decision !== undefined && !isRequest(decision)) {
      throw new TypeError(`${call.module} returned ${kindOf(decision)}, not a Response, a Request or undefined`);
    }
    const head = decision && headOf(decision);
    const body = decision === undefined ? given : bodyOfRequest(decision);
    const isSame = decision === undefined || body === given;
    if (isSame && call.body === "stream" && isRequestBodyUsed(seen))
      throw new TypeError("The Request's body has been read: return a Request with a body");
    // Bytes that the server has not kept must go back to it.
    const sent = isSame && call.body !== "stream" ? null : body;
    const state = stateOf(call, context);
    const replaces = isSame ? undefined : body !== null;
    if (!sent && state === undefined && replaces === undefined) return outcome("proceed", head ? jsonOf(head) : null);
    return outcome("framed", frameOf({ __proto__: null, head, state, replaces, isStreamed: sent !== null }, sent));
  } catch (error) {
    return threw(call, withHint(error, call));
  }
}

/** Runs `onResponse` of a policy. */
async function respond(call, request, execution) {
  try {
    const received = await receive(call, request);
    const { response: head, request: requestHead, context: values, hasBody, state } = received.meta;
    const seen = newResponse(hasBody ? received.body : null, head.status, head.headers);
    const given = bodyOfResponse(seen);
    const context = contextFor(call, values, execution);
    context.state = state ?? {};
    const result = (await onResponseOf(call.module)(seen, newRequest(requestHead), context)) ?? seen;
    if (!isResponse(result)) {
      throw new TypeError(`onResponse of ${call.module} returned ${kindOf(result)}, not a Response or undefined`);
    }
    const body = bodyOfResponse(result);
    // The server has kept what code read as a whole.
    const isSame = body === given || (result === seen && call.body === "buffer");
    if (isBodyUsed(result) && !(isSame && call.body === "buffer"))
      throw new TypeError("The Response's body has been used already");
    if (statusOf(result) === 101) throw new TypeError("Code cannot accept WebSockets");
    const sent = isSame && call.body !== "stream" ? null : body;
    // Without a body to read, code cannot mean to remove it.
    const replaces = !isSame && (body !== null || call.body !== "none");
    const meta = { __proto__: null, ...responseHeadOf(result), replaces };
    return outcome("framed", frameOf(meta, sent));
  } catch (error) {
    return threw(call, withHint(error, call));
  }
}

const runs = { __proto__: null, handler: handle, policy: decide, response: respond };

/** What the server sent, and the body that the policy asked for. */
async function receive(call, request) {
  if (call.body === "stream") return readFrame(request);
  if (call.body !== "buffer") return { __proto__: null, meta: await readJson(request), body: undefined };
  const { meta, bytes } = await readWholeFrame(request);
  return { __proto__: null, meta, body: bytes };
}

const mostStateBytes = 4 * 1024;

function stateOf(call, context) {
  if (!call.keepsState) return undefined;
  const text = jsonOf(context.state);
  if (text === undefined) return undefined;
  // UTF-8 has at most three bytes for each unit.
  if (text.length * 3 > mostStateBytes && byteLength(text) > mostStateBytes)
    throw new TypeError(`context.state is larger than ${mostStateBytes / 1024} KiB as JSON`);
  return context.state;
}

function onResponseOf(module) {
  const found = modules[module]?.onResponse;
  if (typeof found === "function") return found;
  throw new TypeError(`${module} has no function called onResponse`);
}

/** An empty body most often means that the policy did not ask for it. */
function withHint(error, call) {
  if (call.body !== "none" || !(error instanceof SyntaxError)) return error;
  const side = call.run === "policy" ? "request" : "response";
  const hint = `the policy reads no bodies: give it "body": {"${side}": "buffer"} in tollgate.json`;
  return new TypeError(`${error.message} (${hint})`);
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
  return { requestId, user, params, route, options, traceparent, environment, log, waitUntil, state: undefined };
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
