import { TollgateError } from "./errors.ts";
import type { RequestOptions } from "./options.ts";
import { isRetryable } from "./retry.ts";
import { type ServerSentEvent, serverSentEvents } from "./server-sent-events.ts";
import type { Transport } from "./transport.ts";

const pauseMs = 1000;
const maxCached = 2000;

/** Callbacks about the connection of a follower. */
export interface ConnectionOptions {
  /** Called whenever the connection is open: a list read from now on and the stream together have no gap. */
  onOpen?: (() => void) | undefined;
  /** Called after each failed attempt to reconnect. */
  onLost?: ((error: TollgateError) => void) | undefined;
}

/** A list whose new items the server streams. */
interface Followed<Item> {
  open(): Promise<Response>;
  /** The name of the event of an item. */
  event: string;
  /** The items since a time, which may have been missed. */
  missed(since: number): Promise<Item[]>;
  /** No item before the returned time was missed, once this one has arrived. */
  sinceAfter(item: Item, since: number): number;
  onOtherEvent?(event: ServerSentEvent): void;
}

/** New items. After a lost connection it reads the missed ones and skips those already yielded. */
export async function* follow<Item extends { id: string }>(
  transport: Transport,
  { open, event: name, missed, sinceAfter, onOtherEvent }: Followed<Item>,
  { signal, onOpen, onLost }: RequestOptions & ConnectionOptions,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<string>();
  let since: number | undefined;

  for (let response = await open(); ; response = await reopen(transport, open, signal, onLost)) {
    onOpen?.();
    try {
      for await (const item of itemsOf(response)) {
        if (seen.has(item.id)) continue;
        since = sinceAfter(item, since ?? 0);
        seen.add(item.id);
        if (seen.size > maxCached) seen.delete(seen.values().next().value!);
        yield item;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof TollgateError && !isOutage(error)) throw error;
      // The connection was lost; the loop opens a new one.
    } finally {
      since ??= openedOn(response);
      await response.body?.cancel();
    }
  }

  async function* itemsOf(response: Response): AsyncGenerator<Item> {
    if (since !== undefined) yield* await missed(since);
    for await (const event of serverSentEvents(response.body!))
      if (event.event === name) yield JSON.parse(event.data);
      else onOtherEvent?.(event);
  }
}

/** Reopens a lost stream, and retries as long as the server or a proxy is unavailable. */
async function reopen(
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

function isOutage(error: unknown): error is TollgateError {
  if (!(error instanceof TollgateError)) return false;
  return isRetryable(error, true) || error.status === 502 || error.status === 504;
}

/**
 * When the server opened a stream, by its own clock: events since then must not be missed, even if none has arrived.
 */
function openedOn(response: Response): number | undefined {
  const date = response.headers.get("date");
  return date === null ? undefined : Date.parse(date);
}
