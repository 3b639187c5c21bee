import type { TargetPrice } from "../../../core/artifact/model-price-schema.ts";
import type { ModelAlias, ModelApi, ProviderOperation } from "../../../core/artifact/models-schema.ts";
import type { ProblemCode } from "../../../core/problems/catalogue.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";

/** The edited request, with what counting needs of it. */
export interface ModelRequest {
  operation: ProviderOperation;
  alias: string;
  definition: ModelAlias;
  isStream: boolean;
  /** The request's output limit, lowered to or defaulting to the alias's. Undefined for operations without output. */
  outputLimit: number | undefined;
  /** `n` of chat completions; otherwise 1. */
  choices: number;
  /** `thinking.budget_tokens`, if present. */
  thinkingBudget: number | undefined;
  /** Whether spoken output is requested. */
  asksAudio: boolean;
  /** Whether output may be produced that does not pass as text, such as reasoning. */
  hidesOutput: boolean;
  /** Bytes of the body without the bytes of inline images. */
  inputBytes: number;
  images: number;
  /** Bytes of the texts of messages, system and tools. */
  textBytes: number;
  clampOutput: boolean;
}

/** A target of the alias. */
export interface ModelTarget {
  /** The name of the provider in the project. */
  provider: string;
  api: ModelApi;
  url: string;
  model: string;
  price?: TargetPrice | undefined;
}

/** A request to a model while it is counted. Settled once, however the response ends. */
export interface ModelCall {
  /** The output limit to write into the body. */
  readonly outputLimit: number | undefined;
  /**
   * Changes the target before the first byte of a response. `wasSent`: the former target may have done the work, which is
   * a cost and not charged. Returns a rejection if the budget does not suffice for the other target.
   */
  retarget(target: ModelTarget, wasSent: boolean): HttpResponse | undefined | Promise<HttpResponse | undefined>;
  /** Reads the usage of the response. Call it before its body is consumed, and not for a response that is discarded. */
  responded(response: HttpResponse): void;
  /** Call it instead of `responded` if there is no response. */
  failed(how: "not-sent" | "broken" | "cancelled"): void;
  /** Resolves when what has arrived is held, or cannot be held. Undefined if it is held. */
  readonly holding: Promise<void> | undefined;
  /** Called at most once, if the rest of a stream cannot be held, such as beyond the budget. It must end the stream. */
  onHoldFailed: ((code: ProblemCode, detail: string) => void) | undefined;
}
