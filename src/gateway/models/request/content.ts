import type { ProviderOperation } from "../../../core/artifact/models-schema.ts";
import { memberOf, presentValue, textOf } from "../json/edit-json.ts";
import type { JsonValue } from "../json/parse-json.ts";
import { badMember } from "./invalid-request.ts";
import { notStored } from "./stored-state.ts";

/** What messages and inputs contain. */
export interface InputContent {
  images: number;
  /** The bytes of the images' objects. */
  imageBytes: number;
  /** The bytes of texts that the model reads, for estimates: of messages, instructions and tools. */
  textBytes: number;
  /** Whether the provider fetches a document, whose size is unknown. */
  hasDocumentUrl: boolean;
}

const imageTypes = ["image_url", "input_image", "image"];

/** Members of messages that are text for the model, or JSON that it reads as text, such as the arguments of a tool. */
const textNames = new Set(["content", "text", "thinking", "refusal", "name", "arguments", "input", "output"]);

/** Names that refer to state at the provider, wherever messages have them. */
const storedNames = ["file_id", "file_ids", "vector_store_ids", "container_id"];

/** The number of values to read before yielding. */
const valuesPerStep = 500;

/** Reads the messages or the input of a request. Rejects references to state at the provider unless they are allowed. */
export function* checkContent(
  bytes: Buffer,
  root: JsonValue,
  operation: ProviderOperation,
  allowStored: boolean,
): Generator<void, InputContent> {
  const found: InputContent = { images: 0, imageBytes: 0, textBytes: 0, hasDocumentUrl: false };
  if (operation === "embeddings") {
    found.textBytes = textLength(memberOf(root, "input")?.value);
    return found;
  }
  const reader = new ContentReader(bytes, allowStored, found);
  found.textBytes = textLength(memberOf(root, "tools")?.value);
  for (const name of ["messages", "system", "input", "instructions"]) {
    const value = memberOf(root, name)?.value;
    if (!value) continue;
    if (name === "input" && !allowStored) yield* checkItems(bytes, value);
    if (value.kind === "string") found.textBytes += textLength(value);
    yield* reader.read(value);
  }
  return found;
}

/** The bytes of a text without its quotes, or of JSON. */
function textLength(value: JsonValue | undefined): number {
  if (value?.kind === "string") return value.end - value.start - 2;
  return value?.kind === "object" || value?.kind === "array" ? value.end - value.start : 0;
}

class ContentReader {
  constructor(
    private readonly bytes: Buffer,
    private readonly allowStored: boolean,
    private readonly found: InputContent,
  ) {}

  *read(root: JsonValue): Generator<void, void> {
    const waiting = [root];
    let count = 0;
    for (let value = waiting.pop(); value; value = waiting.pop()) {
      const { members, items } = value;
      if (items) for (const item of items) waiting.push(item);
      if (members) this.#readObject(value);
      for (const { name, value: each } of members ?? []) {
        if (each.members || each.items) waiting.push(each);
        else if (textNames.has(name.text)) this.found.textBytes += textLength(each);
      }
      if (++count % valuesPerStep === 0) yield;
    }
  }

  #readObject(object: JsonValue): void {
    const { bytes, found } = this;
    if (!this.allowStored) this.#checkStored(object);
    if (presentValue(object, "file_url")) found.hasDocumentUrl = true;
    const type = memberOf(object, "type")?.value;
    if (type?.kind !== "string") return;
    const text = textOf(bytes, object, "type")!;
    if (imageTypes.includes(text)) {
      found.images += 1;
      found.imageBytes += object.end - object.start;
    } else if (text === "document") {
      const source = presentValue(object, "source");
      if (source?.kind === "object" && textOf(bytes, source, "type") === "url") found.hasDocumentUrl = true;
    }
  }

  #checkStored(object: JsonValue): void {
    for (const name of storedNames) if (presentValue(object, name)) throw notStored(name);
    // A message of an assistant that refers to its spoken output.
    const audio = presentValue(object, "audio");
    if (audio?.kind === "object" && presentValue(audio, "id")) throw notStored("audio.id");
  }
}

/** Rejects items that the provider has stored. The type of a reference may be omitted. */
function* checkItems(bytes: Buffer, input: JsonValue): Generator<void, void> {
  for (const [index, item] of (input.items ?? []).entries()) {
    if (index % valuesPerStep === valuesPerStep - 1) yield;
    if (item.kind !== "object") continue;
    const type = presentValue(item, "type");
    const isReference = type
      ? textOf(bytes, item, "type") === "item_reference"
      : presentValue(item, "id") !== undefined && !presentValue(item, "role");
    if (isReference)
      throw badMember(
        "input",
        "has an `item_reference` to state at the provider, which this API does not keep: set `store: false`, so that the client sends whole items",
      );
  }
}
