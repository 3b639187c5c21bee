/** Runs inside workerd: passes requests to the code of a project and reports the outcome to the server. */

// Must be the first import: modules are evaluated in order, and it must run before the code.
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
/** Environments by their id: processes of the server may have different ones for a moment. */
const environments = { __proto__: null };
const maxEnvironments = 16;
const environmentIds = { __proto__: null };
let nextEnvironment = 0;

// A version whose modules have no functions does not start.
for (const module of Object.keys(modules)) functionOf(module);

const outcomeStatus = 599;
const outcomeHeader = "x-tollgate-outcome";
const messageHeader = "x-tollgate-message";
const maxMessageCharacters = 1_000;

export default {
  fetch(request, _bindings, execution) {
    const call = callOf(request);
    if (call.run === "ping") return newResponse(null, 204);
    if (call.run === "environment") return setEnvironment(call, request);
    const run = runs[call.run];
    // Tracking a request costs a tenth of a short handler, so only code that uses the console is tracked.
    if (settings.usesConsole) return inRequest(call.requestId, () => run(call, request, execution));
    return run(call, request, execution);
  },
};

async function setEnvironment({ environment: id }, request) {
  environment = freeze(await readJson(request));
  if (id !== undefined) {
    if (environments[id] === undefined) {
      delete environments[environmentIds[nextEnvironment]];
      environmentIds[nextEnvironment] = id;
      nextEnvironment = (nextEnvironment + 1) % maxEnvironments;
    }
    environments[id] = environment;
  }
  return newResponse(null, 204);
}

/** Avoids a promise if the code has none: awaiting one costs workerd as much as a short handler. */
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
    const received = call.body === "none" ? withoutBody(await readJson(request)) : await receive(call, request);
    const seen = newRequest(received.meta.head, received.body ?? null);
    const given = received.body ? bodyOfRequest(seen) : null;
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
    // Bytes that the server has not buffered must be sent back.
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
    const received = call.body === "none" ? withoutBody(await readJson(request)) : await receive(call, request);
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
    // The server has kept a buffered body.
    const isSame = body === given || (result === seen && call.body === "buffer");
    if (isBodyUsed(result) && !(isSame && call.body === "buffer"))
      throw new TypeError("The Response's body has been used already");
    if (statusOf(result) === 101) throw new TypeError("Code cannot accept WebSockets");
    const sent = isSame && call.body !== "stream" ? null : body;
    // Code without access to the body cannot remove it.
    const replaces = !isSame && (body !== null || call.body !== "none");
    const meta = { __proto__: null, ...responseHeadOf(result), replaces };
    return outcome("framed", frameOf(meta, sent));
  } catch (error) {
    return threw(call, withHint(error, call));
  }
}

const runs = { __proto__: null, handler: handle, policy: decide, response: respond };

/** The server's data, and the body that the policy declared. Not for calls without one: each promise has a cost. */
async function receive(call, request) {
  if (call.body === "stream") return readFrame(request);
  const { meta, bytes } = await readWholeFrame(request);
  return { __proto__: null, meta, body: bytes };
}

function withoutBody(meta) {
  return { __proto__: null, meta, body: undefined };
}

const maxStateBytes = 4 * 1024;

function stateOf(call, context) {
  if (!call.keepsState) return undefined;
  const text = jsonOf(context.state);
  if (text === undefined) return undefined;
  // UTF-8 has at most three bytes per UTF-16 unit.
  if (text.length * 3 > maxStateBytes && byteLength(text) > maxStateBytes)
    throw new TypeError(`context.state is larger than ${maxStateBytes / 1024} KiB as JSON`);
  return context.state;
}

function onResponseOf(module) {
  const found = modules[module]?.onResponse;
  if (typeof found === "function") return found;
  // The bundler cannot know the names of `export * from` a CommonJS module.
  if (found === undefined) return () => undefined;
  throw new TypeError(`${module} has no function called onResponse`);
}

/** An empty body usually means that the policy did not declare it. */
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
  // The bundler cannot know the names of `export * from` a CommonJS module.
  if (found === undefined) return () => undefined;
  throw new TypeError(`${module} has no function as its default export`);
}

/** Assigned one by one: a spread of the parsed object takes V8 3 µs. */
function contextFor({ requestId, environment: id }, { user, params, route, options, traceparent }, execution) {
  const log = logOf(requestId);
  const waitUntil = (promise) => execution.waitUntil(settled(promise, log));
  const named = id === undefined ? environment : (environments[id] ?? environment);
  return {
    requestId,
    user,
    params,
    route,
    options,
    traceparent,
    environment: named,
    log,
    waitUntil,
    state: undefined,
  };
}

async function settled(promise, log) {
  try {
    await promise;
  } catch (error) {
    log.error(error);
  }
}

/** Detects responses that would make workerd fail while sending, where the cause could not be reported. */
function checked(response) {
  if (isBodyUsed(response)) throw new TypeError("The Response's body has been used already");
  // Each check has a cost, so those for one status run only for that status.
  const status = statusOf(response);
  if (status === 101) throw new TypeError("Code cannot accept WebSockets");
  if (status !== outcomeStatus) return response;
  // A copy: code has a reference to the original headers and could change them before they are sent.
  const copy = withoutHeader(response, outcomeHeader);
  if (!copy) throw new TypeError(`The header ${outcomeHeader} is reserved`);
  return copy;
}

function outcome(name, body, message = "") {
  const headers = { __proto__: null, [outcomeHeader]: name, [messageHeader]: encoded(message) };
  return newResponse(body, outcomeStatus, headers);
}

/** The error with its stack, without frames of the runtime. */
function messageOf(error) {
  if (!(error instanceof Error)) return `Thrown: ${String(error)}`.slice(0, maxMessageCharacters);
  const frames = (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line) && !/(runtime|before-code)\.js/.test(line));
  const text = [`${error.name}: ${error.message}`, ...frames.slice(0, 3)].join("\n");
  return text.slice(0, maxMessageCharacters).toWellFormed();
}

function kindOf(value) {
  return value === null ? "null" : value === undefined ? "undefined" : `a value of type ${typeof value}`;
}
