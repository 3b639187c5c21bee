import { isJsonObject } from "../../../lib/text/json-object.ts";
import type { TokenCounts } from "../../exchange/model-use.ts";

/** The usage that a response reports. Later values of a member replace earlier ones; null counts as absent. */
export class ReportedUsage {
  /** The model that served the request, as the response says. */
  model: string | undefined;
  serviceTier: string | undefined;
  /** The calls of the provider's tools, by name. */
  readonly tools = new Map<string, number>();
  #prompt: number | undefined;
  #cached: number | undefined;
  #cacheWrite: number | undefined;
  #cacheWrite1h: number | undefined;
  #output: number | undefined;
  #audioInput = 0;
  #audioOutput = 0;
  #total: number | undefined;

  /** @param isInclusive whether the input includes cached tokens, as in the API of OpenAI */
  constructor(private readonly isInclusive: boolean) {}

  get hasInput(): boolean {
    return this.#prompt !== undefined;
  }

  get hasOutput(): boolean {
    return this.#output !== undefined;
  }

  /** Reads a response, or an event of a stream, whose response may be the member `message` or `response`. */
  read(value: unknown): void {
    if (!isJsonObject(value)) return;
    const body = objectOf(value.response) ?? objectOf(value.message) ?? value;
    if (typeof body.model === "string" && body.model !== "") this.model = body.model;
    this.#readTier(body.service_tier);
    if (isJsonObject(body.usage)) this.#readUsage(body.usage);
    if (body !== value && isJsonObject(value.usage)) this.#readUsage(value.usage);
    if (Array.isArray(body.output)) {
      this.tools.clear();
      for (const item of body.output) if (isJsonObject(item)) this.addItem(item.type);
    }
  }

  /** Counts an item of OpenAI's responses by its type: calls of the provider's tools are among them. */
  addItem(type: unknown): void {
    if (typeof type !== "string" || !type.endsWith("_call") || clientCalls.has(type)) return;
    const name = type.slice(0, -"_call".length);
    this.tools.set(name, (this.tools.get(name) ?? 0) + 1);
  }

  /**
   * Returns the counts.
   * @param estimated the tokens of a category that was not reported
   * @param isFinal whether the reported output is that of the whole response
   */
  counts(estimated: { input: number; output: number }, isFinal: boolean): TokenCounts {
    const reported = this.#outputWithReasoning();
    const output = isFinal && this.hasOutput ? reported : Math.max(reported, estimated.output);
    const cacheWrite = this.#cacheWrite ?? this.#cacheWrite1h ?? 0;
    const cacheWrite1h = Math.min(this.#cacheWrite1h ?? 0, cacheWrite);
    const cached = this.#cached ?? 0;
    const prompt = this.#prompt;
    const audioOutput = Math.min(this.#audioOutput, output);
    if (prompt === undefined || !this.isInclusive)
      return { input: prompt ?? estimated.input, cached, cacheWrite, cacheWrite1h, output };
    const read = Math.min(cached, prompt);
    const written = Math.min(cacheWrite, prompt - read);
    const input = prompt - read - written;
    return {
      input,
      cached: read,
      cacheWrite: written,
      cacheWrite1h: Math.min(cacheWrite1h, written),
      output,
      // Most responses have none, and records of them stay as they are.
      ...(this.#audioInput + audioOutput > 0 && { audioInput: Math.min(this.#audioInput, input), audioOutput }),
    };
  }

  /** Some providers report reasoning only in the total. */
  #outputWithReasoning(): number {
    const output = this.#output ?? 0;
    if (!this.isInclusive || this.#total === undefined || this.#prompt === undefined) return output;
    return Math.max(output, this.#total - this.#prompt);
  }

  #readTier(tier: unknown): void {
    if (typeof tier === "string" && tier !== "") this.serviceTier = tier;
  }

  #readUsage(usage: Record<string, unknown>): void {
    const details = objectOf(usage.prompt_tokens_details) ?? objectOf(usage.input_tokens_details);
    const outputDetails = objectOf(usage.completion_tokens_details) ?? objectOf(usage.output_tokens_details);
    const creation = objectOf(usage.cache_creation);
    this.#audioInput = countOf(details?.audio_tokens) ?? this.#audioInput;
    this.#audioOutput = countOf(outputDetails?.audio_tokens) ?? this.#audioOutput;
    this.#prompt = countOf(usage.prompt_tokens) ?? countOf(usage.input_tokens) ?? this.#prompt;
    this.#output = countOf(usage.completion_tokens) ?? countOf(usage.output_tokens) ?? this.#output;
    this.#total = countOf(usage.total_tokens) ?? this.#total;
    this.#cached =
      countOf(details?.cached_tokens) ??
      countOf(usage.prompt_cache_hit_tokens) ??
      countOf(usage.cache_read_input_tokens) ??
      this.#cached;
    this.#cacheWrite =
      countOf(details?.cache_write_tokens) ?? countOf(usage.cache_creation_input_tokens) ?? this.#cacheWrite;
    this.#cacheWrite1h = countOf(creation?.ephemeral_1h_input_tokens) ?? this.#cacheWrite1h;
    this.#readTier(usage.service_tier);
    for (const [name, value] of Object.entries(objectOf(usage.server_tool_use) ?? {})) {
      const calls = countOf(value);
      if (calls !== undefined && name.endsWith("_requests")) this.tools.set(name.slice(0, -"_requests".length), calls);
    }
  }
}

/** Calls of tools that the client runs. */
const clientCalls = new Set([
  "function_call",
  "custom_tool_call",
  "computer_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
]);

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return isJsonObject(value) ? value : undefined;
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
