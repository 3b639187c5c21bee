/** The output of streams is held in steps of this number of tokens. */
const step = 256;

const bytesPerHeldToken = 2;
const tokensPerImage = 2000;

/** The parts of a request that determine what is held. */
interface HeldRequest {
  isStream: boolean;
  outputLimit: number | undefined;
  hidesOutput: boolean;
  choices: number;
  inputBytes: number;
  images: number;
  definition: { hold?: "grow" | "limit" | undefined; inputHold?: number | undefined };
}

/** The tokens of input that are held: more than most requests have, since the tokenizer is the provider's. */
export function heldInput({ inputBytes, images, definition }: HeldRequest): number {
  return Math.ceil(inputBytes / bytesPerHeldToken) + images * tokensPerImage + (definition.inputHold ?? 0);
}

/**
 * Whether the hold grows with the output. A response that is not streamed shows its output only at its end, and
 * reasoning may not be shown at all.
 */
export function growsWithOutput({ isStream, hidesOutput, definition }: HeldRequest): boolean {
  return isStream && !hidesOutput && definition.hold !== "limit";
}

/** The output of all choices. Without a limit, the first step. */
export function maxOutput({ outputLimit, choices }: HeldRequest): number {
  return outputLimit === undefined ? step : outputLimit * choices;
}

/** Returns the output tokens to hold after `passed` tokens: the next multiple of the step, at most `max`. */
export function outputToHold(passed: number, max: number): number {
  return Math.min((Math.floor(passed / step) + 1) * step, max);
}
