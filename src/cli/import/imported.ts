import { createHash } from "node:crypto";
import type { ApiKeyCreate, ConsumerCreate } from "../../client/index.ts";

/** A consumer with its keys, as another system describes it. */
export interface ImportedConsumer {
  /** Its place in the file, for the report. */
  place: string;
  /** Its name there. */
  originalName: string;
  consumer: Omit<ConsumerCreate, "apiKeys">;
  keys: ApiKeyCreate[];
}

/** The content of a file. */
export interface ImportedFile {
  consumers: ImportedConsumer[];
  /** What cannot be imported, with the reason. */
  omitted: string[];
}

/**
 * A consumer's name is part of addresses and headers, so it has fewer characters here than elsewhere. Returns the
 * closest possible name.
 */
export function consumerName(original: string): string {
  return original
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 128);
}

const ownFormat = /^[\x21-\x7e]{16,512}$/;

/** A value that Tollgate would not issue, because it is short for example, is imported by its hash. */
export function fromValue(value: string): Pick<ApiKeyCreate, "key" | "hash" | "suffix"> {
  if (ownFormat.test(value)) return { key: value };
  const suffix = value.slice(-Math.min(4, Math.floor(value.length / 4)));
  return {
    hash: { sha256: createHash("sha256").update(value).digest("hex") },
    ...(/^[\x21-\x7e]+$/.test(suffix) && value.length >= 4 ? { suffix } : {}),
  };
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
