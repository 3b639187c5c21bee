import { TollgateError } from "./errors.ts";
import { isWorthRetrying } from "./retry.ts";
import type { Transport } from "./transport.ts";

const pauseMs = 1000;

/** Callbacks about the connection of a follower. */
export interface ConnectionOptions {
  /** Called whenever the connection is made: what is listed from then on and what follows leave no gap. */
  onOpen?: (() => void) | undefined;
  /** Called while the connection is lost, whenever it could not be made again. */
  onLost?: ((error: TollgateError) => void) | undefined;
}

/** Opens a stream that was lost again, for as long as the server or a proxy before it is away. */
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
  return isWorthRetrying(error, true) || error.status === 502 || error.status === 504;
}

/** When the server opened a stream, by its own clock: from then on nothing may be missed, also where nothing has come yet. */
export function openedOn(response: Response): number | undefined {
  const date = response.headers.get("date");
  return date === null ? undefined : Date.parse(date);
}
