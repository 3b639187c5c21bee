import { TollgateError } from "./errors.ts";
import { isWorthRetrying } from "./retry.ts";
import type { Transport } from "./transport.ts";

const pauseMs = 1000;

/** Opens a stream that was lost again, for as long as the server or a proxy before it is away. */
export async function reopen(
  transport: Transport,
  open: () => Promise<Response>,
  signal: AbortSignal | undefined,
): Promise<Response> {
  for (;;) {
    await transport.connection.sleep(pauseMs, signal);
    try {
      return await open();
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
  }
}

export function isOutage(error: unknown): boolean {
  if (!(error instanceof TollgateError)) return false;
  return isWorthRetrying(error, true) || error.status === 502 || error.status === 504;
}
