import type { TokenCounts } from "../../exchange/model-use.ts";
import { EventReader } from "./event-reader.ts";
import { JsonBodyScanner } from "./json-body-scanner.ts";
import { chatTextNames, type ReadOperation, type ResponseReader } from "./operations.ts";
import { ReportedUsage } from "./reported-usage.ts";

export interface ReadUsage extends TokenCounts {
  basis: "reported" | "estimated";
}

const bytesPerToken = 3;

export function estimatedTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** Reads the usage of a response of a provider. The result does not depend on how the response is cut into pieces. */
export class ResponseUsage {
  readonly reported: ReportedUsage;
  readonly #reader: ResponseReader;

  constructor(
    private readonly operation: ReadOperation,
    isEventStream: boolean,
  ) {
    this.reported = new ReportedUsage(operation !== "messages");
    this.#reader =
      isEventStream && operation !== "embeddings"
        ? new EventReader(operation, this.reported)
        : new BodyReader(operation, this.reported);
  }

  push(piece: Buffer): void {
    this.#reader.push(piece);
  }

  end(): void {
    this.#reader.end();
  }

  /** The estimated tokens of the text that has passed. */
  get passedTokens(): number {
    return estimatedTokens(this.#reader.textBytes);
  }

  /**
   * Returns the usage after `end`.
   * @param isEstimated whether what was not reported is estimated, or counts as 0
   */
  usage(inputBytes: number, isEstimated: boolean): ReadUsage {
    const { reported } = this;
    const { isFinal } = this.#reader;
    const hasOutput = this.operation === "embeddings" || (reported.hasOutput && isFinal);
    const isReported = reported.hasInput && hasOutput;
    const input = isEstimated ? estimatedTokens(inputBytes) : 0;
    const output = isEstimated ? this.passedTokens : 0;
    return {
      ...reported.counts({ input, output }, isFinal),
      basis: isReported || !isEstimated ? "reported" : "estimated",
    };
  }
}

const textIn: Record<ReadOperation, string | undefined> = {
  "chat/completions": "choices",
  responses: "output",
  messages: "content",
  embeddings: undefined,
};
const textNames = new Set([...chatTextNames, "text", "thinking"]);

/** Reads the usage of a JSON body, which arrives in pieces. */
export class BodyReader implements ResponseReader {
  textBytes = 0;
  readonly #scanner: JsonBodyScanner;

  constructor(
    operation: ReadOperation,
    private readonly usage: ReportedUsage,
  ) {
    this.#scanner = new JsonBodyScanner({
      textIn: textIn[operation],
      textNames,
      member: (name, json) => this.#read(name, json),
      text: (bytes) => {
        this.textBytes += bytes;
      },
      itemType: (type) => {
        if (operation === "responses") usage.addItem(type);
      },
    });
  }

  /** A body has one usage. */
  get isFinal(): boolean {
    return true;
  }

  push(piece: Buffer): void {
    this.#scanner.push(piece);
  }

  end(): void {
    this.#scanner.end();
  }

  #read(name: string, json: string): void {
    try {
      this.usage.read({ [name]: JSON.parse(Buffer.from(json, "latin1").toString()) as unknown });
    } catch {
      // Not JSON: there is no usage.
    }
  }
}
