import { verificationError } from "../../lib/crypto/standard-webhooks.ts";
import { fetchErrorText } from "../../lib/network/fetch-error.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { milliseconds, printable } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface ListenerOptions {
  port: number;
  forward: string | undefined;
  secret: string | undefined;
  json: boolean;
  terminal: Terminal;
  signal: AbortSignal;
}

const maxBodyBytes = 1024 * 1024;

/** A received message and the result of its verification. */
interface Arrival {
  id: string | null;
  /** Undefined if there is no secret. */
  isVerified: boolean | undefined;
  error: string | undefined;
  status: number;
  ms: number;
  body: string;
}

/** Receives webhooks on loopback until the signal aborts. */
export async function listenForWebhooks(options: ListenerOptions): Promise<void> {
  const { terminal, signal, secret } = options;
  const server = listen(options);
  terminal.note(`Listening on http://127.0.0.1:${server.port}; end with Ctrl-C.`);
  if (secret === undefined) terminal.note("Signatures are not verified without --secret.", "yellow");
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
  await server.stop(true);
}

function listen(options: ListenerOptions): Bun.Server<undefined> {
  const { port } = options;
  try {
    return Bun.serve({
      hostname: "127.0.0.1",
      port,
      maxRequestBodySize: maxBodyBytes,
      fetch: (request) => receive(request, options),
    });
  } catch (error) {
    if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
    throw new UsageError(
      `Port ${port} is in use by another program: choose another with --port, or 0 for any free one.`,
    );
  }
}

async function receive(request: Request, options: ListenerOptions): Promise<Response> {
  if (request.method !== "POST")
    return new Response("POST webhooks here.\n", { status: 405, headers: { allow: "POST" } });
  const started = performance.now();
  const body = await request.text();
  const { headers } = request;
  const id = headers.get("webhook-id");
  const signed = { id, timestamp: headers.get("webhook-timestamp"), signature: headers.get("webhook-signature"), body };
  const { secret } = options;
  const wrong = secret === undefined ? undefined : verificationError(secret, signed, systemClock.now() / 1000);
  const { status, error } = wrong === undefined ? await passOn(headers, body, options) : { status: 401, error: wrong };
  const isVerified = secret === undefined ? undefined : wrong === undefined;
  print({ id, isVerified, error, status, ms: performance.now() - started, body }, options);
  return new Response(null, { status });
}

/** Forwarded unchanged with its signature, so that the receiver can verify it too. */
async function passOn(
  headers: Headers,
  body: string,
  { forward }: ListenerOptions,
): Promise<{ status: number; error?: string }> {
  if (forward === undefined) return { status: 204 };
  const names = ["content-type", "webhook-id", "webhook-timestamp", "webhook-signature"];
  const sent = names.flatMap((name): [string, string][] => (headers.has(name) ? [[name, headers.get(name)!]] : []));
  try {
    const response = await fetch(forward, { method: "POST", headers: sent, body, redirect: "manual" });
    await response.arrayBuffer();
    return { status: response.status };
  } catch (error) {
    return { status: 502, error: `not forwarded: ${fetchErrorText(error)}` };
  }
}

function print({ id, isVerified, error, status, ms, body }: Arrival, { terminal, json }: ListenerOptions): void {
  const message = parsed(body);
  if (json) {
    terminal.print(JSON.stringify({ id, isVerified, error, status, message }));
    return;
  }
  const type = (message as { type?: unknown } | null)?.type;
  const trust =
    isVerified === undefined
      ? ""
      : isVerified
        ? terminal.style("green", " verified")
        : terminal.style("red", " not verified");
  terminal.print(
    `${terminal.style("bold", printable(String(type ?? "?")))} ${printable(id ?? "")}${trust} → ${status} ${terminal.style("dim", milliseconds(ms))}`,
  );
  if (error !== undefined) terminal.print(printable(error), "red");
  terminal.print(printable(typeof message === "string" ? message : JSON.stringify(message, null, 2)));
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
