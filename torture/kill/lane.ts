import type { Client, ClientResponse } from "../../test/support/client.ts";
import { until } from "../../test/support/until.ts";

const retryWithinMs = 20_000;

/** A request that changes something, in a form that can be sent again as it is. */
export interface Attempt {
  /** For the figures. */
  kind: string;
  /** The consumer that it changes, where it changes one. */
  subject?: string;
  send(client: Client): Promise<ClientResponse>;
  /** Takes the answer into the model, and fails where it is not what the model expects. */
  acknowledge(answer: ClientResponse, isRetry: boolean): void;
}

export interface LaneCounts {
  acknowledged: Record<string, number>;
  /** Requests that got no answer, and how many of those had happened all the same. */
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

  /** Fails unless the server has what was acknowledged. What is in doubt may be there whole, or not at all. */
  abstract verify(client: Client): Promise<void>;

  /** Until something is not answered, or `isOver`. */
  async run(client: Client, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const attempt = this.next();
      this.inDoubt = attempt;
      const answer = await attempt.send(client).catch(ifUnanswered);
      if (!answer || isNotNow(answer)) {
        this.counts.inDoubt += 1;
        return;
      }
      this.#take(attempt, answer, false);
    }
  }

  /** As a client does that must have it done once: the same request again, until it is answered. */
  protected async retryInDoubt(client: Client): Promise<void> {
    const attempt = this.inDoubt;
    if (!attempt) return;
    const answer = await until(
      async () => {
        const each = await attempt.send(client);
        return isNotNow(each) ? undefined : each;
      },
      { withinMs: retryWithinMs, what: `an answer to ${attempt.kind}` },
    );
    if (hadHappened(answer)) this.counts.happened += 1;
    this.#take(attempt, answer, true);
  }

  #take(attempt: Attempt, answer: ClientResponse, isRetry: boolean): void {
    this.inDoubt = undefined;
    attempt.acknowledge(answer, isRetry);
    this.counts.acknowledged[attempt.kind] = (this.counts.acknowledged[attempt.kind] ?? 0) + 1;
  }
}

/** A connection that broke is what is waited for; an answer against the interface's description is not. */
function ifUnanswered(error: unknown): undefined {
  if (error instanceof Error && error.message.includes("/openapi.json")) throw error;
  return undefined;
}

/** Storage is away, or the first one of the same Idempotency-Key is still under way. */
function isNotNow({ status, body }: ClientResponse): boolean {
  return status === 503 || (status === 409 && ["request_in_progress", "upload_in_progress"].includes(body?.code));
}

function hadHappened({ status, headers, body }: ClientResponse): boolean {
  return headers.get("idempotency-replayed") === "true" || status === 404 || body?.duplicates > 0;
}
