/** The operations that generate text. */
export type TextOperation = "chat/completions" | "responses" | "messages";

/** The operations whose responses have usage. */
export type ReadOperation = TextOperation | "embeddings";

/** Reads a response while it passes, without delaying it. */
export interface ResponseReader {
  /** The bytes of the generated text so far. */
  readonly textBytes: number;
  /** Whether the reported output is that of the whole response. */
  readonly isFinal: boolean;
  push(piece: Buffer): void;
  end(): void;
}

/** The names of members with generated text in chat completions. */
export const chatTextNames = ["content", "reasoning_content", "reasoning", "refusal", "arguments", "input"];
