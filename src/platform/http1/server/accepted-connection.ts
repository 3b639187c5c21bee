import type { LimitedConnection } from "./connection-limiter.ts";

/** The owner of an accepted socket, which receives its events. */
export interface AcceptedConnection extends LimitedConnection {
  /** Whether a request or its response is in progress. */
  readonly isBusy: boolean;
  /** Whether there is a request whose response has not begun. */
  readonly isUndecided: boolean;
  received(bytes: Buffer): void;
  /** The socket is writable again. */
  drained(): void;
  /** The client closed its half. */
  ended(): void;
  closed(): void;
  /** Called every second: closes the connection if the client is too slow. */
  checkTimeouts(): void;
  /** Closes the connection with its next response, unless that has begun. */
  closeWithNextResponse(): void;
  /** Closes the connection once it is idle. */
  finish(): void;
}
