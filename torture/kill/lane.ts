import type { Client, ClientResponse } from "../../test/support/client.ts";
import { until } from "../../test/support/until.ts";

const retryWithinMs = 20_000;

/** A request that changes something, which can be sent again unchanged. */
export interface Attempt {
  /** For the figures. */
  kind: string;
  /** The consumer that it changes, where it changes one. */
  subject?: string;
  send(client: Client): Promise<ClientResponse>;
  /** Updates the model by the response, and fails if the response contradicts it. */
  acknowledge(response: ClientResponse, isRetry: boolean): void;
}

export interface LaneCounts {
  acknowledged: Record<string, number>;
  /** Requests without a response, and how many of those were executed. */
  inDoubt: number;
  happened: number;
}

/**
 * One client that sends one request after the other and keeps a model of what was acknowledged. When the server or its
 * database dies, one request at most is in doubt.
 */
export abstract class Lane {
  readonly counts: LaneCounts = { acknowledged: {}, inDoubt: 0, happened: 0 };
  protected inDoubt: Attempt | undefined;

  protected abstract next(): Attempt;

  /** Fails unless the server has all acknowledged changes. An uncertain one may be complete or absent. */
  abstract verify(client: Client): Promise<void>;

  /** Until a request gets no response, or `isOver`. */
  async run(client: Client, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const attempt = this.next();
      this.inDoubt = attempt;
      const response = await attempt.send(client).catch(ifNoResponse);
      if (!response || isNotNow(response)) {
        this.counts.inDoubt += 1;
        return;
      }
      this.#take(attempt, response, false);
    }
  }

  /** Retries like a client that requires exactly one effect: the same request again until it gets a response. */
  protected async retryInDoubt(client: Client): Promise<void> {
    const attempt = this.inDoubt;
    if (!attempt) return;
    const response = await until(
      async () => {
        const each = await attempt.send(client);
        return isNotNow(each) ? undefined : each;
      },
      { withinMs: retryWithinMs, what: `a response to ${attempt.kind}` },
    );
    if (hadHappened(response)) this.counts.happened += 1;
    this.#take(attempt, response, true);
  }

  #take(attempt: Attempt, response: ClientResponse, isRetry: boolean): void {
    this.inDoubt = undefined;
    attempt.acknowledge(response, isRetry);
    this.counts.acknowledged[attempt.kind] = (this.counts.acknowledged[attempt.kind] ?? 0) + 1;
  }
}

/** A lost connection is expected; a response that contradicts the description is not. */
function ifNoResponse(error: unknown): undefined {
  if (error instanceof Error && error.message.includes("/openapi.json")) throw error;
  return undefined;
}

/** Storage is unavailable, or the first request with the same Idempotency-Key is still in progress. */
function isNotNow({ status, body }: ClientResponse): boolean {
  return status === 503 || (status === 409 && ["request_in_progress", "upload_in_progress"].includes(body?.code));
}

function hadHappened({ status, headers, body }: ClientResponse): boolean {
  return headers.get("idempotency-replayed") === "true" || status === 404 || body?.duplicates > 0;
}
