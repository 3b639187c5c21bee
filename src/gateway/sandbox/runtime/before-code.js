/**
 * Runs inside workerd before the code of a project is evaluated, and removes the server's internals from its reach.
 * Code can replace every global, so the originals are kept here.
 */
import { AsyncLocalStorage } from "node:async_hooks";

const maxCharacters = 8 * 1024;
const maxLinesPerSecond = 1_000;

const requestIds = new AsyncLocalStorage();
const nativeConsole = globalThis.console;
const writeLine = nativeConsole.log.bind(nativeConsole);
const { parse, stringify } = JSON;
const now = Date.now;
const { apply } = Reflect;
const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
export const { freeze } = Object;
const hasInstance = Function.prototype[Symbol.hasInstance];
const { run: runInStorage, getStore } = AsyncLocalStorage.prototype;
const encode = encodeURIComponent;
const NativeRequest = Request;
const NativeResponse = Response;
const NativeHeaders = Headers;

/** Returns the original getter or method, before code can replace it. It takes the object as its first argument. */
function native(prototype, name) {
  for (let owner = prototype; owner; owner = getPrototypeOf(owner)) {
    const found = getOwnPropertyDescriptor(owner, name);
    if (found) return (target, ...values) => apply(found.get ?? found.value, target, values);
  }
  throw new TypeError(`workerd has no ${name}`);
}

const readCall = native(NativeRequest.prototype, "cf");
const hasHeader = native(NativeHeaders.prototype, "has");
export const readJson = native(NativeRequest.prototype, "json");
const readBytes = native(NativeRequest.prototype, "arrayBuffer");
const requestBodyOf = native(NativeRequest.prototype, "body");
const getReader = native(ReadableStream.prototype, "getReader");
const readAtLeast = native(ReadableStreamBYOBReader.prototype, "readAtLeast");
const cancelByteReader = native(ReadableStreamBYOBReader.prototype, "cancel");
const NativeReadable = ReadableStream;
const read = native(ReadableStreamDefaultReader.prototype, "read");
const cancelReader = native(ReadableStreamDefaultReader.prototype, "cancel");
const enqueue = native(ReadableStreamDefaultController.prototype, "enqueue");
const closeController = native(ReadableStreamDefaultController.prototype, "close");
const setBytes = native(Uint8Array.prototype, "set");
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const encodeText = native(TextEncoder.prototype, "encode");
const decodeText = native(TextDecoder.prototype, "decode");
const Bytes = Uint8Array;
const toHex = native(Number.prototype, "toString");
const padStart = native(String.prototype, "padStart");
const parseHex = Number.parseInt;
export const statusOf = native(NativeResponse.prototype, "status");
export const isBodyUsed = native(NativeResponse.prototype, "bodyUsed");
export const isRequestBodyUsed = native(NativeRequest.prototype, "bodyUsed");
const headersOf = native(NativeResponse.prototype, "headers");
const bodyOf = native(NativeResponse.prototype, "body");
const methodOf = native(NativeRequest.prototype, "method");
const urlOf = native(NativeRequest.prototype, "url");
const requestHeadersOf = native(NativeRequest.prototype, "headers");

/** Checks the prototype chain only: `Symbol.hasInstance` of a class can be replaced. */
export const isResponse = (value) => apply(hasInstance, NativeResponse, [value]);
export const isRequest = (value) => apply(hasInstance, NativeRequest, [value]);

/** Without a prototype, to which code could add members. */
export function newResponse(body, status, headers) {
  return new NativeResponse(body, { __proto__: null, status, headers });
}

export function newRequest({ url, method, headers }, body) {
  return new NativeRequest(url, { __proto__: null, method, headers, body });
}

/** The same response with headers that code has no reference to, or undefined if it has the header `reserved`. */
export function withoutHeader(response, reserved) {
  const headers = new NativeHeaders(headersOf(response));
  return hasHeader(headers, reserved) ? undefined : newResponse(bodyOf(response), statusOf(response), headers);
}

/** The head of a request. */
export function headOf(request) {
  const headers = [...new NativeHeaders(requestHeadersOf(request))];
  return { __proto__: null, method: methodOf(request), url: urlOf(request), headers };
}

export function responseHeadOf(response) {
  return { __proto__: null, status: statusOf(response), headers: [...new NativeHeaders(headersOf(response))] };
}

export const jsonOf = (value) => stringify(value);

export const bodyOfRequest = (request) => requestBodyOf(request);
export const bodyOfResponse = (response) => bodyOf(response);

export const byteLength = (text) => encodeText(encoder, text).length;

const frameDigits = 8;

const pieceBytes = 64 * 1024;

/**
 * Parses the JSON at the start of a frame (see frame.ts). The rest is returned as a new stream, because workerd rejects
 * a stream that was read from.
 */
export async function readFrame(request) {
  const reader = getReader(requestBodyOf(request), { __proto__: null, mode: "byob" });
  const length = await readAtLeast(reader, frameDigits, new Bytes(frameDigits));
  const size = parseHex(decodeText(decoder, length.value), 16);
  const json = await readAtLeast(reader, size, new Bytes(size));
  const next = () => readAtLeast(reader, 1, new Bytes(pieceBytes));
  const body = newStream(next, (reason) => cancelByteReader(reader, reason));
  return { __proto__: null, meta: parse(decodeText(decoder, json.value)), body };
}

/** Parses a frame and buffers the rest. */
export async function readWholeFrame(request) {
  const bytes = new Bytes(await readBytes(request));
  const size = parseHex(decodeText(decoder, bytes.subarray(0, frameDigits)), 16);
  const meta = parse(decodeText(decoder, bytes.subarray(frameDigits, frameDigits + size)));
  return { __proto__: null, meta, bytes: bytes.subarray(frameDigits + size) };
}

/** A frame, followed by the bytes of a stream if there is one. */
export function frameOf(meta, body) {
  const json = encodeText(encoder, stringify(meta));
  const head = new Bytes(frameDigits + json.length);
  setBytes(head, encodeText(encoder, padStart(toHex(json.length, 16), frameDigits, "0")), 0);
  setBytes(head, json, frameDigits);
  if (!body) return head;
  const reader = getReader(body);
  let isFirst = true;
  const next = () => {
    if (!isFirst) return read(reader);
    isFirst = false;
    return { __proto__: null, done: false, value: head };
  };
  return newStream(next, (reason) => cancelReader(reader, reason));
}

/**
 * Copied chunk by chunk: workerd waits forever if its own streams are piped into each other. A failed source aborts the
 * stream, which the server detects.
 */
function newStream(next, cancel) {
  const source = {
    __proto__: null,
    async pull(controller) {
      const { done, value } = await next();
      if (done) closeController(controller);
      else enqueue(controller, value);
    },
    cancel,
  };
  return new NativeReadable(source);
}

/** Encodes a text as a header value. */
export function encoded(text) {
  return encode(text);
}

let second = 0;
let linesInSecond = 0;

/** The server's call: workerd passes it in a header, which is removed. */
export function callOf(request) {
  return parse(readCall(request).call);
}

/** Associates lines of `console` with the request, also after an await. */
export function inRequest(requestId, work) {
  return apply(runInStorage, requestIds, [requestId, work]);
}

/** Writes a line for the server. Excess lines are dropped here: in the server they would cost other code time. */
function log(level, values, requestId) {
  const thisSecond = Math.floor(now() / 1000);
  if (thisSecond !== second) {
    second = thisSecond;
    linesInSecond = 0;
  }
  linesInSecond += 1;
  if (linesInSecond > maxLinesPerSecond + 1) return;
  if (linesInSecond <= maxLinesPerSecond) write(level, textOf(values), requestId);
  else {
    const message = `More than ${maxLinesPerSecond} lines in a second; the others of this second are dropped.`;
    write("warn", message, requestId);
  }
}

function write(level, message, requestId) {
  const cut = message.length > maxCharacters ? `${message.slice(0, maxCharacters)}… (cut)` : message;
  // Not as an array: code could add a toJSON to arrays.
  writeLine(`["${level}",${stringify(cut)},${stringify(requestId ?? null)}]`);
}

/** Objects of code can throw while they are read, which must not fail the log line. */
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

const { debug, info, warn, error } = logBy(() => apply(getStore, requestIds, []));
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
