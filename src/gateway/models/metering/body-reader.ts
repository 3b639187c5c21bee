import { JsonBodyScanner } from "./json-body-scanner.ts";
import { chatTextNames, type ReadOperation, type ResponseReader } from "./operations.ts";
import type { ReportedUsage } from "./reported-usage.ts";

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
