import { TollgateError } from "./errors.ts";
import { isRetryable } from "./retry.ts";
import type { Transport } from "./transport.ts";

const pauseMs = 1000;

/** Callbacks about the connection of a follower. */
export interface ConnectionOptions {
  /** Called whenever the connection is open: a list read from now on and the stream together have no gap. */
  onOpen?: (() => void) | undefined;
  /** Called after each failed attempt to reconnect. */
  onLost?: ((error: TollgateError) => void) | undefined;
}

/** Reopens a lost stream, and retries as long as the server or a proxy is unavailable. */
export async function reopen(
  transport: Transport,
  open: () => Promise<Response>,
  signal: AbortSignal | undefined,
  onLost: ConnectionOptions["onLost"],
): Promise<Response> {
  let waitMs = pauseMs;
  for (;;) {
    await transport.connection.sleep(waitMs, signal);
    try {
      return await open();
    } catch (error) {
      if (!isOutage(error)) throw error;
      waitMs = Math.max(pauseMs, (error.retryAfterSeconds ?? 0) * 1000);
      onLost?.(error);
    }
  }
}

export function isOutage(error: unknown): error is TollgateError {
  if (!(error instanceof TollgateError)) return false;
  return isRetryable(error, true) || error.status === 502 || error.status === 504;
}

/**
 * When the server opened a stream, by its own clock: events since then must not be missed, even if none has arrived.
 */
export function openedOn(response: Response): number | undefined {
  const date = response.headers.get("date");
  return date === null ? undefined : Date.parse(date);
}
