import type { ModelAlias, ModelApi, ProviderOperation } from "../../../core/artifact/models-schema.ts";
import type { ProblemCode } from "../../../core/problems/catalogue.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Exchange } from "../../exchange/exchange.ts";

/** The edited request, as far as counting needs it. */
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
  /** Bytes of the body without the bytes of inline images. */
  inputBytes: number;
  images: number;
  textBytes: number;
  clampOutput: boolean;
}

/** A target of the alias. */
export interface ModelTarget {
  provider: string;
  api: ModelApi;
  url: string;
  model: string;
  price: unknown;
}

export interface ModelCall {
  /** The output limit to write into the body. */
  readonly outputLimit: number | undefined;
  retarget(target: ModelTarget, wasSent: boolean): HttpResponse | undefined | Promise<HttpResponse | undefined>;
  responded(response: HttpResponse): void;
  failed(how: "not-sent" | "broken" | "cancelled"): void;
  onRefused: ((code: ProblemCode, detail: string) => void) | undefined;
}

export function beginModelCall(
  _: Exchange,
  { outputLimit }: ModelRequest,
  __: ModelTarget,
): ModelCall | HttpResponse | Promise<ModelCall | HttpResponse> {
  return { outputLimit, retarget: () => undefined, responded() {}, failed() {}, onRefused: undefined };
}

export function beginModelsList(_: Exchange): HttpResponse | undefined | Promise<HttpResponse | undefined> {
  return undefined;
}
