import type { InProgress } from "../../../counting/limits/requests-in-progress.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import {
  addPendingDecision,
  type Policy,
  type PolicyPlace,
  type PolicyState,
  type RequestContext,
  stateOf,
  takePendingDecision,
} from "../../exchange/policy.ts";
import { reject, rejectWhileUnavailable } from "../../exchange/rejection.ts";
import { subjectDetail, subjectOf } from "../subject/subject.ts";
import type { ConcurrencyOptions } from "./schema.ts";

interface ConcurrencyState extends PolicyState {
  key: string;
}

/** Limits the requests of a subject in progress: until the last byte of the response, or the end of a WebSocket. */
export class ConcurrencyPolicy implements Policy {
  readonly #scope: string;
  readonly #observes: boolean | undefined;

  constructor(
    private readonly inProgress: InProgress,
    private readonly options: ConcurrencyOptions,
    place: PolicyPlace,
  ) {
    this.#scope = `${place.deployment} ${place.name} `;
    this.#observes = place.observes;
  }

  enter(context: RequestContext): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    const { by, requests: limit } = this.options;
    const key = this.#scope + subjectOf(by, context);
    const begun =
      takePendingDecision<boolean | null>(context, this) ?? this.inProgress.begin(key, limit, context, this.#observes);
    if (!(begun instanceof Promise)) return this.#decide(context, key, begun);
    return begun.then(
      (hasBegun) => (hasBegun === null ? this.enter(context) : this.#decide(context, key, hasBegun)),
      (error: unknown) => rejectWhileUnavailable(context, error),
    );
  }

  prefetch(context: RequestContext): boolean {
    const { inProgress } = this;
    const { by, requests: limit } = this.options;
    const key = this.#scope + subjectOf(by, context);
    const result = inProgress.beginAhead(key, limit, context, this.#observes);
    const undo = (hasBegun: unknown) => {
      if (hasBegun === true) inProgress.end(key);
    };
    return result !== undefined && addPendingDecision(context, { policy: this, result, undo });
  }

  #decide(context: RequestContext, key: string, hasBegun: boolean): HttpResponse | undefined {
    const { by, requests: limit } = this.options;
    if (!hasBegun)
      return reject(context, "concurrency_exceeded", {
        retryAfterSeconds: 1,
        decision: { reason: "exceeded", used: limit, limit, ...subjectDetail(by, context) },
      });
    const state: ConcurrencyState = { policy: this, previous: context.state, key };
    context.state = state;
    return undefined;
  }

  /** There is no state of a request that was rejected in `observe`. */
  done(context: RequestContext): undefined {
    const state = stateOf<ConcurrencyState>(context, this);
    if (state) this.inProgress.end(state.key);
  }
}
