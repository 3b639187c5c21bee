/*
 * How long processes of a machine wait for each other. A process that has not sent a heartbeat for 5 s is replaced, which
 * ends its connections and with them all waits for it; these deadlines also end waits for a process that is alive and
 * does not respond.
 */

/** How long a rejection waits for the unused units of workers. On SQLite, other writes wait as long. */
export const recallMilliseconds = 2_000;

/** How often one decision recalls units. Units may be granted again while it reads a quota that was evicted meanwhile. */
export const maxRecalls = 3;

/** How long a transaction that computes money from usage waits for requests in progress. Those that take longer count later. */
export const requestMilliseconds = 2_000;

/** How long a worker waits for a decision of the primary. */
export const decisionMilliseconds = 10_000;

/** How long a worker waits for the primary's response to its state. */
export const helloMilliseconds = 5_000;

/** How long a worker waits for a write by the primary: longer than a transaction may take. */
export const writeMilliseconds = 30_000;

/** How long the primary waits for what a worker has in memory, such as its metrics. */
export const statusMilliseconds = 5_000;

/** How long the primary waits for the writes and the background work of a worker. */
export const flushMilliseconds = 30_000;

/** How long the primary waits for a worker that starts a version. */
export const prepareMilliseconds = 60_000;
